import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { RUN_KEPT_MS } from '#domain/job/metering.ts';
import { NEW_RUN } from '#domain/job/rule-run.ts';
import { settingsOf } from '#platform/settings.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import { createApp } from '#src/worker.ts';
import * as exports from '#storage/account/account-export.ts';
import * as accounts from '#storage/account/accounts.ts';
import * as agentPlans from '#storage/account/agent-plans.ts';
import * as assets from '#storage/account/assets.ts';
import * as usage from '#storage/account/usage.ts';
import * as secrets from '#storage/account/webhook-secrets.ts';
import * as clipIndex from '#storage/clip/clip-index.ts';
import * as views from '#storage/clip/clip-lists.ts';
import * as arrivals from '#storage/demo/arrivals.ts';
import * as uploads from '#storage/demo/uploads.ts';
import * as registrations from '#storage/host/host-registrations.ts';
import * as hosts from '#storage/host/hosts.ts';
import * as jobIndex from '#storage/job/job-index.ts';
import * as retention from '#storage/job/retention.ts';
import * as budgets from '#storage/lib/budgets.ts';
import type { RowCursor } from '#storage/lib/database.ts';
import * as lists from '#storage/lib/lists.ts';
import * as allJobs from '#storage/operate/all-jobs.ts';
import * as erasure from '#storage/operate/erasure.ts';
import * as expiry from '#storage/operate/expiry.ts';
import * as find from '#storage/operate/find.ts';
import * as operators from '#storage/operate/operators.ts';
import * as upkeep from '#storage/operate/upkeep.ts';
import * as ruleRuns from '#storage/rule/rule-runs.ts';
import * as rules from '#storage/rule/rules.ts';
import { newJob, T0 } from '../core/domain/builders.ts';
import { clipIdOf, createAccount, createHost } from '../support/accounts.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { countRows, isUnderWay, type WrittenRows, watchWork } from '../support/objects.ts';
import { PICTURES } from '../support/pictures.ts';
import { fireAlarm, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, readJob, roundRequest, submit } from '../support/service.ts';
import { CAPABILITIES, type TestHost } from '../support/test-host.ts';
import { createInbox } from '../support/webhooks.ts';

const faulty = createFaultyService();
const db = faulty.service.database;
const A = 'an-account';
const PAGE = { created_from: 1, created_to: 9e12, cursor: { createdAt: 8e12, id: 'x' }, limit: 50 };
const ASSET = { id: crypto.randomUUID(), accountId: A, kind: 'outro', name: null, contentType: 'image/png' } as const;
const REQUEST = { mode: 'round', fps: null, resolution: 1080, ruleRun: null, inspectedUpload: null } as const;
const each = <T, R>(values: readonly T[], work: (value: T) => Promise<R>) => Promise.all(values.map(work));

const paged = (select: (after: { createdAt: number; id: string } | undefined) => Promise<unknown>) =>
  each([undefined, { createdAt: 1, id: 'x' }], select);

const behind = (select: (after: RowCursor | undefined) => Promise<unknown>) =>
  each([undefined, { at: 1, row: 1 }], select);
const UPLOAD_TO_ERASE = { id: 'x', accountId: A, multipartId: 'm', completedAt: null, createdAt: 1 };
const OLD_TEST = { id: 'x', clipId: 'y', accountId: A, createdAt: 1 };
const JOB_TO_ERASE = { id: 'x', clipId: 'y', mode: 'round', createdAt: 1 };

/** The length of each list of values: more than the variables that D1 allows. */
const MANY = Array.from({ length: 150 }, (_, i) => `many-${i}`);

/**
 * Calls each query, and each list with each combination of filters. Each statement has the most variables that it can
 * have: D1 refuses more than 100.
 */
const STATEMENTS: Record<string, () => Promise<unknown>> = {
  insertAccount: () => accounts.insertAccount(db, { id: A, name: 'a', idSalt: '00', createdAt: 1 }),
  findCaller: () => accounts.findCaller(db, 'x', 1),
  findCallerOfKey: () => accounts.findCallerOfKey(db, 'k', 1),
  findAccount: () => accounts.findAccount(db, A),
  selectAccounts: () => paged((after) => accounts.selectAccounts(db, after, 50)),
  updateAccount: () =>
    accounts.updateAccount(db, A, {
      name: 'b',
      provisionedSlots: 1,
      renderer: 'radar',
      labels: ['eu'],
      limits: {},
      suspendedAt: 1,
    }),
  selectSuspended: () => accounts.selectSuspended(db, MANY),
  selectControls: () => upkeep.selectControls(db),
  putControl: () => upkeep.putControl(db, CONTROL),
  deleteControl: () => each(['c', undefined], (id) => upkeep.deleteControl(db, 'block', id)),
  ensureTestAccount: () => accounts.ensureTestAccount(db, A, { id: 'a-test', idSalt: '00', createdAt: 1 }),
  findCustomer: () => accounts.findCustomer(db, A),
  findTestAccount: () => accounts.findTestAccount(db, A),
  findDispatchPolicy: () => accounts.findDispatchPolicy(db, A),
  findViewing: () => accounts.findViewing(db, A),
  updateViewing: () => accounts.updateViewing(db, A, { embedSites: null, showsViews: true, showsMore: false }),
  insertApiKey: () =>
    accounts.insertApiKey(db, {
      id: 'k',
      accountId: A,
      kind: 'metered',
      scope: 'read',
      sha256: 'x',
      hint: 'x',
      createdAt: 1,
    }),
  selectApiKeys: () => paged((after) => accounts.selectApiKeys(db, A, after, 50)),
  findKeyTerms: () => accounts.findKeyTerms(db, A, 'k', 1),
  noteKeyUsed: () => accounts.noteKeyUsed(db, 'k', 2, 1),
  countMadeKeys: () => accounts.countMadeKeys(db, A, 1),
  revokeApiKey: () => each([false, true], (keepsMade) => accounts.revokeApiKey(db, A, 'k', 1, keepsMade)),
  showAsset: () => assets.showAsset(db, 'a', { width: 1, height: 1, seconds: null }),
  insertAsset: () => assets.insertAsset(db, { ...ASSET, bytes: 1, createdAt: 1 }, { assets: 9, asset_mib: 9 }),
  findAssets: () => assets.findAssets(db, A, MANY),
  markAssetDeleted: () => assets.markAssetDeleted(db, A, ASSET.id, 1),
  selectDeletedAssets: () => assets.selectDeletedAssets(db, 1, 10),
  removeAssets: () => assets.removeAssets(db, MANY),
  isTakenDown: () => clipIndex.isTakenDown(db, 'x'),
  findLatestClipId: () => clipIndex.findLatestClipId(db),
  insertHost: () => hosts.insertHost(db, { id: 'h', name: 'h', tokenSha256: 'x', createdAt: 1 }),
  findHost: () => hosts.findHost(db, 'x'),
  selectHosts: () => paged((after) => hosts.selectHosts(db, after, 50)),
  updateHost: () => hosts.updateHost(db, 'h', { hold: 'paused', holdUntil: 1, note: 'n', labels: ['eu'] }),
  noteHostSeen: () => hosts.noteHostSeen(db, 'h', { capabilities: '{}', now: 2, staleBefore: 1 }),
  insertHostFailure: () => hosts.insertHostFailure(db, { hostId: 'h', code: 'demo_404', failedAt: 1, jobId: 'j' }),
  findUnfitBuild: () => hosts.findUnfitBuild(db, 'h'),
  findHostById: () => hosts.findHostById(db, 'h'),
  selectHostFailures: () => hosts.selectHostFailures(db, 'h', 1),
  countHostFailures: () => hosts.countHostFailures(db, MANY, 1),
  insertRegistration: () => registrations.insertRegistration(db, REGISTRATION),
  findRegistrationId: () => registrations.findRegistrationId(db, 'z'),
  selectRegistrations: () => paged((after) => registrations.selectRegistrations(db, after, 10)),
  takeUse: () => registrations.takeUse(db, 'r', 1),
  revokeRegistration: () => registrations.revokeRegistration(db, 'r', 1),
  replaceHostToken: () => hosts.replaceHostToken(db, 'h', 'y'),
  revokeHost: () => hosts.revokeHost(db, 'h', 1),
  projectJob: () =>
    jobIndex.projectJob(db, { ...newJob(), clip: CLIP }, REQUEST, { ...SEEN, upkeepAt: 1, idleSince: 1 }),
  selectJobs: () =>
    each([undefined, 'done'] as const, (status) =>
      each([undefined, 'round'] as const, (mode) => lists.selectJobs(db, A, { ...PAGE, status, mode })),
    ),
  selectUnfinished: () => each([undefined, 'x'], (after) => lists.selectUnfinished(db, A, after, 10)),
  selectChanges: () => lists.selectChanges(db, A, { changedAt: 1, id: 'x' }, 10),
  readLastChange: () => lists.readLastChange(db, A),
  insertWebhookSecret: () => secrets.insertWebhookSecret(db, { id: 's', accountId: A, hint: 'h', createdAt: 1 }),
  selectWebhookSecrets: () => secrets.selectWebhookSecrets(db, A),
  deleteWebhookSecret: () => secrets.deleteWebhookSecret(db, A, 's'),
  selectClips: () =>
    each([undefined, 'ready'] as const, (state) =>
      each([undefined, true], (saved) => lists.selectClips(db, A, { ...PAGE, state, saved })),
    ),
  selectAssets: () => each([undefined, 'outro'] as const, (kind) => lists.selectAssets(db, A, { ...PAGE, kind })),
  selectUploads: () => lists.selectUploads(db, A, PAGE),
  insertUpload: () =>
    each([null, { demos: 1, mib: 1 }], (aDay) => uploads.insertUpload(db, UPLOAD, { bytes: 9e6, open: 9, aDay })),
  storeRefusal: () => arrivals.storeRefusal(db, REFUSED),
  selectRefusedDemos: () => each([undefined, A], (account) => arrivals.selectRefusedDemos(db, account, 1)),
  selectArriving: () => each([undefined, A], (account) => arrivals.selectArriving(db, account, 1)),
  findUpload: () => uploads.findUpload(db, A, 'u'),
  findUploadOf: () => uploads.findUploadOf(db, A, UPLOAD),
  notePart: () => uploads.notePart(db, 'u', 1, 'etag'),
  countPart: () => uploads.countPart(db, 'u', 1, 1, 6),
  forgetParts: () => uploads.forgetParts(db, 'u'),
  keepUpload: () =>
    uploads.keepUpload(db, { id: 'u', accountId: A, keyId: null, name: 'a' }, 2, {
      completedAt: 1,
      expiresAt: 9,
      sha256: 's',
    }),
  selectExpiredUploads: () => behind((after) => uploads.selectExpiredUploads(db, 10, after, 10)),
  selectDemoKeys: () => uploads.selectDemoKeys(db, ['demos/a/u']),
  holdUpload: () => uploads.holdUpload(db, { accountId: 'a', id: 'u' }, 1, 9),
  expireUpload: () => uploads.expireUpload(db, 'u', 1),
  removeUploads: () => uploads.removeUploads(db, MANY),
  selectInspecting: () => upkeep.selectInspecting(db, A, 20),
  selectInspections: () => upkeep.selectInspections(db, A, 'u'),
  selectOldInspections: () =>
    each([undefined, { id: 'x', finishedAt: 1 }], (after) => upkeep.selectOldInspections(db, 9, after, 10)),
  removeInspections: () => upkeep.removeInspections(db, MANY, 9),
  selectOverdueJobs: () => upkeep.selectOverdueJobs(db, 1, 10),
  moveUpkeeps: () =>
    upkeep.moveUpkeeps(
      db,
      MANY.map((id) => ({ id, expected: 1, next: null })),
    ),
  selectExpiredClips: async () => {
    await upkeep.selectExpiredClips(db, 1, undefined, 10);
    await upkeep.selectExpiredClips(db, 1, { jobId: 'x', id: 'x', renderedAt: 1 }, 10);
  },
  selectClipsInOrder: async () => {
    await upkeep.selectClipsInOrder(db, A, undefined, 10);
    await upkeep.selectClipsInOrder(db, A, { jobId: 'x', kind: 1, createdAt: 2, id: 'x' }, 10);
    await upkeep.selectClipsInOrder(db, A, { jobId: 'x', kind: 2, createdAt: 0, id: 'x' }, 10);
  },
  selectCursors: () => upkeep.selectCursors(db, 'x', 'xy', 10),
  moveCursor: async () => {
    await upkeep.moveCursor(db, 'x', 'y', 'z');
    await upkeep.moveCursor(db, 'x', 'y', undefined);
  },
  readCursor: () => upkeep.readCursor(db, 'x'),
  saveCursor: async () => {
    await upkeep.saveCursor(db, 'x', 'y');
    await upkeep.saveCursor(db, 'x', undefined);
  },
  countClips: () => upkeep.countClips(db, { day: 1, after: '', looked: 0, count: 0, bytes: 0 }, 10),
  selectFileKeys: () => upkeep.selectFileKeys(db, MANY),
  insertUsage: () => usage.insertUsage(db, RUN),
  findLastRun: () => usage.findLastRun(db, 'x'),
  sumUsage: () => usage.sumUsage(db, A, 1, 9e12, ['renderer', 'day']),
  selectUsageDays: () =>
    each([undefined, USAGE_KEY], (after) =>
      each([undefined, A], (account) => usage.selectUsageDays(db, { from: 0, to: 9e9, account, after, limit: 50 })),
    ),
  findOperator: () => operators.findOperator(db, 'x'),
  insertSession: () => operators.insertSession(db, { sha256: 'x', operatorId: null, expiresAt: 9 }, 1),
  findSession: () => operators.findSession(db, MANY, 1),
  deleteSessions: () => operators.deleteSessions(db, MANY),
  insertOperator: () =>
    operators.insertOperator(db, { id: 'o', name: 'o', role: 'read', tokenSha256: 'x', createdAt: 1 }),
  selectOperators: () => paged((after) => operators.selectOperators(db, after, 50)),
  revokeOperator: () => operators.revokeOperator(db, 'o', 1),
  insertAudit: () =>
    operators.insertAudit(db, { id: 'a', createdAt: 1, operator: 'o', action: 'x', target: {}, requestId: 'r' }),
  selectAudit: () => paged((after) => operators.selectAudit(db, after, 50)),
  selectAllJobs: async () => {
    const any = { ...PAGE, status: undefined, mode: undefined, priority: undefined, errorCode: undefined };
    await allJobs.selectAllJobs(db, any);
    await allJobs.selectAllJobs(db, { ...any, status: 'error', priority: true, errorCode: 'demo_404' });
  },
  selectTroubled: () =>
    each(
      [
        { trouble: undefined, accountId: undefined },
        { trouble: 'exhausted', accountId: A },
      ] as const,
      (filter) => allJobs.selectTroubled(db, filter, undefined, 50),
    ),
  countTroubled: () => allJobs.countTroubled(db, 1, 50),
  findJobRow: () => allJobs.findJobRow(db, 'x'),
  selectJobRows: () => allJobs.selectJobRows(db, MANY),
  readNames: () => find.readNames(db, [null, ...MANY]),
  selectFound: () => find.selectFound(db, MANY, 'x'),
  selectSalts: () => each([undefined, A], (account) => find.selectSalts(db, account, 10)),
  selectMadeClips: () => find.selectMadeClips(db, 1, 10),
  selectDayCounts: () => allJobs.selectDayCounts(db, 1),
  selectIdleJobs: async () => {
    await retention.selectIdleJobs(db, 2, undefined, 10);
    await retention.selectIdleJobs(db, 2, { id: 'x', idleSince: 1 }, 10);
  },
  clearIdle: () => retention.clearIdle(db, MANY, 2),
  markIdle: () => retention.markIdle(db, 'x', 10),
  findUsed: () => budgets.findUsed(db, A, 1),
  add: () => budgets.add(db, [{ owner: A, name: 'unbilled', at: 1, amount: 1 }]),
  reserve: () =>
    budgets.reserve(db, { owner: A, at: 1, mayWait: true }, [{ name: 'webhook_attempts', amount: 1, most: 1 }]),
  selectJobSums: () => retention.selectJobSums(db),
  readDatabaseBytes: () => retention.readDatabaseBytes(db),
  selectAccountsNearLimit: () => retention.selectAccountsNearLimit(db, settingsOf(bindings).limits),
  selectExported: () =>
    each(Object.values(exports.EXPORTED), async (table) => {
      await exports.selectExported(db, table, A, [], 50);
      await exports.selectExported(
        db,
        table,
        A,
        table.order.map(() => 1),
        50,
      );
    }),
  selectRuns: () => exports.selectRuns(db, MANY),
  selectSpareJobs: () => retention.selectSpareJobs(db, A, 2, 10),
  postponeSpare: () => retention.postponeSpare(db, ['x', 'y'], 2),
  selectOldTests: () => each([undefined, OLD_TEST], (after) => retention.selectOldTests(db, 2, after, 10)),
  endTests: () => retention.endTests(db, 2),
  beginErasing: () => erasure.beginErasing(db, A, 1),
  selectErasing: () => behind((after) => erasure.selectErasing(db, 2, after, 10)),
  selectJobsToErase: () => each([undefined, JOB_TO_ERASE], (after) => erasure.selectJobsToErase(db, A, after, 10)),
  removeJobs: () =>
    erasure.removeJobs(
      db,
      MANY.map((id) => ({ ...JOB_TO_ERASE, id })),
    ),
  removeViews: () =>
    erasure.removeViews(
      db,
      MANY,
      MANY.map((_, day) => day),
    ),
  selectUploadsToErase: () =>
    each([undefined, UPLOAD_TO_ERASE], (after) => erasure.selectUploadsToErase(db, A, after, 10)),
  removeBelongings: () => erasure.removeBelongings(db, A),
  removeAccount: () => erasure.removeAccount(db, A),
  selectPost: () => rules.selectPost(db, 'x'),
  selectMessage: () => rules.selectMessage(db, 'x'),
  noteMessage: () => rules.noteMessage(db, MANY, null),
  selectClipFiles: () => clipIndex.selectClipFiles(db, 'x', 10),
  insertRule: () => rules.insertRule(db, RULE, 9),
  findRule: () => rules.findRule(db, A, RULE.id),
  selectRules: () => each([undefined, RULE.id], (id) => rules.selectRules(db, A, 0, id)),
  selectRuleRuns: () => each([undefined, RULE.id], (id) => rules.selectRuleRuns(db, A, 20, id)),
  selectActiveRules: () => rules.selectActiveRules(db, A),
  updateRule: () => rules.updateRule(db, RULE.id, { ...RULE, pauseReason: 'r' }, { now: 2, revivesAfter: 1 }),
  pauseRule: () => rules.pauseRule(db, RULE.id, 1, 'r'),
  moveRules: () => rules.moveRules(db, A, 'k', 'l'),
  removeRule: () => rules.removeRule(db, 'another'),
  beginRun: () =>
    db.batch([ruleRuns.beginRun(db, { id: 'u', accountId: A, keyId: 'k' }, { id: 'run', ruleId: 'rule' }, 5)]),
  reviveRuns: () => db.batch([ruleRuns.reviveRuns(db, 'rule', 5, 1)]),
  selectOpenRuns: () => each([{ uploadId: 'u' }, { runId: 'run' }], (of) => ruleRuns.selectOpenRuns(db, of)),
  selectMovableUploads: () => ruleRuns.selectMovableUploads(db, { now: 9, runDeadline: 5 }, '', 10),
  selectRoom: () => ruleRuns.selectRoom(db, OPEN_RUN, 1),
  storeRun: () =>
    each([undefined, 'one-more', 'none'] as const, (failures) =>
      ruleRuns.storeRun(db, OPEN_RUN, failures ? { run: NEXT_RUN, failures } : { run: NEXT_RUN }, {
        now: 1,
        keyClips: 1,
      }),
    ),
  insertAgentPlans: () => agentPlans.insertAgentPlans(db, [AGENT_PLAN], { accountId: A, now: 2, most: 9 }),
  findAgentPlan: () => agentPlans.findAgentPlan(db, A, 'plan'),
  claimAgentPlan: () => agentPlans.claimAgentPlan(db, { id: 'plan', accountId: A, length: 1 }, { budget: 9, now: 1 }),
  releaseAgentPlan: () => agentPlans.releaseAgentPlan(db, 'plan'),
  keepPoster: () => ruleRuns.keepPoster(db, 'run', 'j'),
  addViews: () => views.addViews(db, 1, new Map(MANY.map((id) => [id, 2]))),
  selectViews: () => views.selectViews(db, 'x', 1, 200),
  removeExpired: () => each(Object.values(expiry.EXPIRIES), (one) => expiry.removeExpired(db, one, 1, 10)),
};
const USAGE_KEY = [1, A, 'metered', 1080, 30, ''];
const SEEN = { bytes: 1, upkeepAt: null, idleSince: null, spareSince: 1, trouble: null };
const FILE = { key: 'k', bytes: 1, sha256: 'f'.repeat(64) };
const CLIP = {
  state: 'ready' as const,
  isSaved: false,
  title: 't',
  resolution: 1080,
  fps: 30,
  tier: 'metered' as const,
  durationSeconds: 1,
  video: FILE,
  thumbnail: FILE,
  createdAt: 1,
  renderedAt: 1,
};
const REFUSED = { keyId: 'k', accountId: A, name: 'a', status: 413, reason: 'r', bytes: 1, refusedAt: 1 };
const UPLOAD = {
  id: 'u',
  accountId: A,
  name: 'a.dem',
  bytes: 1,
  sha256: 'f'.repeat(64),
  multipartId: 'm',
  createdAt: 1,
  expiresAt: 9,
  source: 'ingest' as const,
  tag: null,
  facts: { map_number: 1 },
  keyId: 'k',
};
const RULE = {
  id: 'rule',
  accountId: A,
  name: 'r',
  keyId: 'k',
  send: {},
  enabled: true,
  createdAt: 1,
  pausedAt: null,
  pauseReason: null,
  failures: 0,
  definition: {
    when: { tags: ['a'] },
    render: { what: 'kills' as const },
    options: {},
    budget: { demos_a_day: 1, clips_a_day: 1 },
  },
};
const AGENT_PLAN = { id: 'plan', request: { demo_url: '' }, planSha256: 'f'.repeat(64), length: 1 };
const OPEN_RUN = {
  isTest: 0,
  rule: RULE,
  run: {
    id: 'run',
    version: 1,
    ruleId: 'rule',
    accountId: A,
    uploadId: 'u',
    keyId: 'k',
    createdAt: 1,
    ...NEW_RUN,
  },
  jobs: [],
};
const NEXT_RUN = { ...OPEN_RUN.run, isRead: true, clips: 1 };
const CONTROL = {
  kind: 'block' as const,
  id: 'c',
  name: 'a.example',
  reason: 'r',
  until: null,
  createdAt: 1,
  operator: 'o',
};
const REGISTRATION = { id: 'r', name: 'r', tokenSha256: 'z', uses: 2, expiresAt: 9, createdAt: 1 };
const RUN = {
  jobId: 'j',
  run: 1,
  accountId: A,
  tier: 'metered',
  resolution: 1080,
  fps: 30,
  seconds: 1,
  renderedAt: 1,
} as const;

/**
 * The operator's lists of everything there is, in order; the sums of all accounts; and the newest clip of all, which
 * only the landing page of a local stack may ask for (`loadSettings` refuses it elsewhere). There are a
 * hundred upkeep. An account has few keys.
 */
const READS_ALL = new Set([
  'selectAccounts',
  'selectApiKeys',
  'selectHosts',
  'selectRegistrations',
  'selectOperators',
  'findLatestClipId',
  'selectJobSums',
  'selectOwnKept',
  'selectControls',
]);
/** These make parts of statements that are looked at where they are used. */
const BATCHED = ['usedBy', 'take', 'giveBack', 'deleteJobs'];
const isScan = (step: string) => /^SCAN (?!json_each|CONSTANT ROW|\(subquery|looked|ended)/.test(step);

describe('every statement of the index', () => {
  it('is among those that are looked at here', () => {
    const exported = [
      accounts,
      arrivals,
      budgets,
      assets,
      clipIndex,
      hosts,
      registrations,
      secrets,
      jobIndex,
      lists,
      ruleRuns,
      agentPlans,
      uploads,
      usage,
      views,
      operators,
      allJobs,
      find,
      retention,
      erasure,
      exports,
      rules,
      upkeep,
      expiry,
    ]
      .flatMap((module) => Object.entries(module))
      .filter(([, member]) => typeof member === 'function')
      .map(([name]) => name)
      // These convert or judge rows, read files, or are made of statements that are looked at.
      .filter(
        (name) =>
          ![
            'clipOfRow',
            'policyOf',
            'isKeyOf',
            'isOrTests',
            'customerOf',
            'isInParts',
            'loadList',
            'writeLists',
            'scheduleRepublishing',
            ...BATCHED,
          ].includes(name),
      );
    expect(Object.keys(STATEMENTS).sort()).toEqual(exported.sort());
  });

  it('of an export reads every table, but those that are named here', async () => {
    const { results } = await bindings.DB.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_cf\\_%' ESCAPE '\\'",
    ).all<{ name: string }>();
    // Jobs bring their rows of these.
    const exported = [...Object.keys(exports.EXPORTED), 'clips', 'usage', 'clip_views'];
    const ofOperators = ['audit', 'operators', 'console_sessions', 'controls', 'day_counts'];
    const ofHosts = ['hosts', 'host_failures', 'host_registrations'];
    const others = ['cursors', 'agent_plans'];
    const all = [...exported, ...ofOperators, ...ofHosts, ...others];
    expect(results.map(({ name }) => name).sort()).toEqual(all.sort());
  });

  it('finds its rows by an index, in the order that it wants: no scan, no sort', { tags: ['long'] }, async () => {
    const wrong: string[] = [];
    for (const jobId of MANY) await usage.insertUsage(db, { ...RUN, jobId });
    for (const [name, call] of Object.entries(STATEMENTS)) {
      faulty.statements.clear();
      await call();
      for (const [sql, bound] of faulty.statements) {
        const plan = bindings.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`).bind(...bound);
        const { results } = await plan.all<{ detail: string }>();
        const steps = results.map(({ detail }) => detail);
        const bad = steps.filter((step) => isScan(step) || step.includes('TEMP B-TREE'));
        if (!READS_ALL.has(name)) wrong.push(...bad.map((step) => `${name}: ${step}: ${sql}`));
        if (bound.length > 100) wrong.push(`${name}: ${bound.length} variables: ${sql}`);
      }
    }
    expect(wrong.join('\n')).toBe('');
  });

  it('reads as many lines of usage as a page has, behind thousands of that day', async () => {
    const account = (i: number) => `billed-${String(i).padStart(4, '0')}`;
    const put = bindings.DB.prepare(
      `INSERT INTO usage_days SELECT value, key / 1000, 'metered', 1080, 30, '', 1, 1 FROM json_each(?)`,
    );
    await put.bind(JSON.stringify(Array.from({ length: 3000 }, (_, i) => account(i % 1000)))).run();
    const page = { from: 0, to: 9, account: undefined, after: USAGE_KEY.with(1, account(900)), limit: 50 };
    for (const [query, most] of [
      [page, 51],
      [{ ...page, account: account(950) }, 3],
    ] as const) {
      faulty.statements.clear();
      await usage.selectUsageDays(db, query);
      const [[sql, bound] = ['', []]] = faulty.statements;
      const { meta } = await bindings.DB.prepare(sql)
        .bind(...bound)
        .all();
      expect(meta.rows_read).toBeLessThanOrEqual(2 * most);
    }
  });

  it('reads as many rows as a page has, whatever is filtered', async () => {
    const account = crypto.randomUUID();
    const put = bindings.DB.prepare(
      `INSERT INTO clips SELECT 'clip-' || value, ?, 'j', 1, iif(value % 20 = 3, 'deleted', 'ready'), value % 20 = 0, 't',
         NULL, 1080, NULL, 30, 'metered', NULL, 1, '', 1, '', '', 1, '', value, value, NULL, NULL
       FROM json_each(?)`,
    );
    await put.bind(account, JSON.stringify(Array.from({ length: 1000 }, (_, i) => i))).run();
    for (const filter of [
      {},
      { isSaved: true },
      { state: 'deleted' as const },
      { state: 'ready' as const, isSaved: true },
    ]) {
      faulty.statements.clear();
      const query = {
        from: undefined,
        to: undefined,
        after: undefined,
        limit: 50,
        state: undefined,
        isSaved: undefined,
      };
      const found = await lists.selectClips(db, account, { ...query, ...filter });
      expect(found.length).toBeGreaterThanOrEqual(50);
      const [[sql, bound] = ['', []]] = faulty.statements;
      const { meta } = await bindings.DB.prepare(sql)
        .bind(...bound)
        .all();
      expect(meta.rows_read, JSON.stringify(filter)).toBeLessThanOrEqual(2 * 51 + 8);
    }
  });
});

describe('over its life', () => {
  const scene = useScenario();
  let rows: WrittenRows;

  beforeAll(async () => {
    rows = await countRows();
    await watchWork();
  });

  // Counts the calls of the platform for one clip, from submit to deletion, with a webhook and two views.
  it("one clip's life costs so many calls, rows and bytes, and no more", { tags: ['long'] }, async () => {
    const { metered } = scene.account;
    const post = (token: string, path: string, body?: unknown) => faulty.send(token, 'POST', path, body);
    // The isolate caches the caller after the first request.
    await faulty.send(metered, 'GET', '/api/jobs');
    const host = faulty.host(scene.host.token);
    await host.ask();
    faulty.reset();
    rows.reset();

    const inbox = createInbox();
    const submitted = await post(metered, '/api/clips', roundRequest({ webhook_url: inbox.url }));
    const { job_id: jobId } = await submitted.json<{ job_id: string }>();
    await fireAlarm(jobId);
    await faulty.inside(jobId);
    const grant = await host.claimJob(jobId);
    for (let beats = 0; beats < 12; beats++) {
      vi.setSystemTime(Date.now() + 10_000);
      await host.heartbeat(grant, 'render', beats / 12);
    }
    expect((await host.finish(grant)).status).toBe(204);
    // An alarm that fires during the work is set again.
    await expect.poll(() => inbox.received()).toHaveLength(1);
    await fireAlarm(jobId);
    const { clip_id } = await readJob<{ clip_id: string }>(metered, jobId);
    const clip = `/clips/${clip_id}`;
    for (const path of [clip, `${clip}/video.mp4`, `${clip}/video.mp4`])
      await (await faulty.send('', 'GET', path)).arrayBuffer();
    await faulty.send(metered, 'DELETE', `/api/clips/${clip_id}`);
    await fireAlarm(jobId);

    const asked = (of: RegExp) => faulty.calls.filter((call) => of.test(call)).length;
    const bytes = await runInDurableObject(
      bindings.RENDER_JOB.getByName(jobId),
      (_, { storage }) => storage.sql.databaseSize,
    );
    const life = {
      objects: asked(/^(RENDER_JOB|DISPATCHER)/),
      statements: asked(/^DB/),
      rowsWritten: rows.ofIndex(),
      jobRows: rows.ofJobs(),
      dispatcherRows: rows.ofDispatcher(),
      classA: asked(/^CLIPS\.(createMultipartUpload|uploadPart|complete|put|list)/),
      classB: asked(/^CLIPS\.(get|head)/),
      bytes,
    };
    // docs/scale.md has the bill of it. An effect that is tried twice on a busy machine costs a call or two.
    const most = {
      objects: 28,
      // One of them reads the controls, at most every five seconds in an isolate.
      statements: 12,
      rowsWritten: 33,
      jobRows: 22,
      dispatcherRows: 11,
      classA: 4,
      classB: 12,
    };
    for (const [what, count] of Object.entries(most)) {
      expect(life[what as keyof typeof most], what).toBeGreaterThan(0);
      expect(life[what as keyof typeof most], what).toBeLessThanOrEqual(count + 2);
    }
    expect(life.bytes).toBeLessThanOrEqual(16_384);
  });

  /** Waits until the object of a job has no running work. */
  async function rest(jobId: string): Promise<void> {
    const isBusy = () =>
      runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) => isUnderWay(storage));
    await expect.poll(isBusy).toBe(false);
  }

  /** A host polls, gets the job and confirms it. */
  async function begin(overrides: Record<string, unknown> = {}): Promise<Grant> {
    const { host, account } = scene;
    const held = host.claim({}, 20);
    rows.reset();
    await submit(account.metered, overrides);
    const grant = await held;
    if (!grant) throw new Error('the host got nothing');
    await host.heartbeat(grant, 'prefetch', 0);
    await rest(grant.job_id);
    await pass(6_000, grant.job_id);
    await host.heartbeat(grant, 'render', 0.1);
    return grant;
  }

  it('a render within one lease term writes at most ten rows', { tags: ['long'] }, async () => {
    const grant = await begin();
    expect((await scene.host.finish(grant)).status).toBe(204);
    await rest(grant.job_id);
    await pass(6_000, grant.job_id);
    await pass(60_000, grant.job_id);
    expect(rows.ofJobs()).toBe(10);
  });

  it('a host that finds no work writes nothing but a row a minute of the dispatcher after its first claim', async () => {
    const ask = () => faulty.host(scene.host.token).ask();
    expect((await ask()).status).toBe(204);
    rows.reset();
    faulty.reset();
    for (let polls = 0; polls < 26; polls++) {
      vi.setSystemTime(Date.now() + 22_500);
      expect((await ask()).status).toBe(204);
    }
    expect(rows.ofJobs() + faulty.rowsWritten()).toBe(0);
    // In 585 seconds, for all hosts together.
    expect(rows.ofDispatcher()).toBeLessThanOrEqual(9);
  });

  it('each further term writes at most two', { tags: ['long'] }, async () => {
    const grant = await begin();
    const before = rows.ofJobs();
    const terms = 10;
    for (let beats = 0; beats < terms * 6; beats++) {
      // Evicted before each heartbeat: at that interval the platform may do so each time.
      await ringEvicted(grant.job_id, Date.now() + 10_000);
      expect((await scene.host.heartbeat(grant, 'render', 0.2)).status).toBe(204);
    }
    expect((rows.ofJobs() - before) / terms).toBeLessThanOrEqual(2);
    await scene.host.finish(grant);
  });
});

/** What a request costs before its answer: statements of D1, calls of objects, and operations of R2. */
type Cost = readonly [statements: number, objects: number, files: number];
type Asked = readonly [method: string, path: string, body?: object | undefined, token?: string];
type Row = readonly [what: string, cost: Cost, ask: () => Asked];

const app = createApp(faulty.service);
let key: string;
let jobId: string;
let clipId: string;
let host: TestHost;
let hostToken: string;
let grant: Grant;

async function costOf([method, path, body, token = key]: Asked): Promise<Cost> {
  faulty.reset();
  faulty.statements.clear();
  const isBytes = body instanceof Uint8Array;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': isBytes ? 'image/png' : 'application/json' };
  const content = body === undefined ? null : isBytes ? body : JSON.stringify(body);
  const context = createExecutionContext();
  const response = await app(new Request(BASE_URL + path, { method, headers, body: content }), context);
  expect(response.ok).toBe(true);
  await response.arrayBuffer();
  const count = (of: RegExp) => faulty.calls.filter((call) => of.test(call)).length;
  const cost = [faulty.statements.size, count(/^(RENDER_JOB|DISPATCHER)\./), count(/^(CLIPS|ASSETS)\./)] as const;
  await waitOnExecutionContext(context);
  return cost;
}

const claim = (more: object = {}) => ({ capabilities: { ...CAPABILITIES, max_fps: 5, ...more }, wait_s: 0 });
const ofJob = (path: string, body: object = {}): Asked => [
  'POST',
  `/gateway/v1/jobs/${grant.job_id}/${path}`,
  { fence: grant.lease.fence, ...body },
  hostToken,
];

/** In this order. A first request reads its key or token, and the controls of the isolate. */
const REQUESTS: readonly Row[] = [
  ['a first submit', [2, 1, 0], () => ['POST', '/api/clips', roundRequest()]],
  ['a submit', [0, 1, 0], () => ['POST', '/api/clips', roundRequest()]],
  ['a replay', [0, 1, 0], () => ['POST', '/api/clips', roundRequest({ idempotency_key: 'first' })]],
  ['a job', [0, 1, 0], () => ['GET', `/api/jobs/${jobId}`]],
  ['a clip', [0, 1, 0], () => ['GET', `/api/clips/${clipId}`]],
  ...['jobs', 'clips', 'assets', 'usage'].map(
    (list): Row => [`a list of ${list}`, [1, 0, 0], () => ['GET', `/api/${list}`]],
  ),
  ['an upload of an asset', [3, 0, 2], () => ['POST', '/api/assets?kind=watermark', PICTURES.png]],
  ['a first claim', [1, 1, 0], () => ['POST', '/gateway/v1/claim', claim(), hostToken]],
  ['a claim', [0, 1, 0], () => ['POST', '/gateway/v1/claim', claim(), hostToken]],
  ['a claim with a game', [1, 1, 0], () => ['POST', '/gateway/v1/claim', claim({ game_build: '2' }), hostToken]],
  ['a heartbeat', [0, 1, 0], () => ofJob('heartbeat', { phase: 'render', progress: 0.5 })],
  ['the begin of a file', [0, 2, 1], () => ofJob('uploads', { file: 'video' })],
  ['a page of hosts, one at work', [2, 2, 0], () => ['GET', '/admin/hosts', undefined, ADMIN_TOKEN]],
  ['a release', [0, 1, 0], () => ofJob('release')],
  ['a page of hosts', [2, 1, 0], () => ['GET', '/admin/hosts', undefined, ADMIN_TOKEN]],
];

describe('before its answer', () => {
  beforeAll(async () => {
    key = (await createAccount()).metered;
    jobId = await submit(key, { idempotency_key: 'first' });
    host = await createHost();
    hostToken = host.token;
    await host.finish(await host.claimJob(jobId));
    await fireAlarm(jobId);
    clipId = await clipIdOf(jobId);
  });

  it.each(REQUESTS)('%s costs %j', async (what, cost, ask) => {
    if (what === 'a heartbeat') {
      grant = await host.claimJob(await submit(key));
      await host.heartbeat(grant);
      await fireAlarm(grant.job_id);
    }
    expect(await costOf(ask())).toEqual(cost);
  });
});

/** So many that a page of the file more or less is under a byte a row. */
const ROWS = 40_000;
const STORED = { key: `clips/${crypto.randomUUID()}/1/video.mp4`, bytes: 9_000_000, sha256: 'f'.repeat(64) };
const OLD_CLIP = {
  isSaved: false,
  title: '2 kills by Ferris on cs_italy',
  facts: { kills: 2, players: ['Ferris'], map: 'cs_italy', round: 7 },
  resolution: 1080,
  fps: 30,
  tier: 'metered' as const,
  durationSeconds: 7.5,
  video: STORED,
  thumbnail: STORED,
  createdAt: T0,
  renderedAt: T0,
};

/** Measures the bytes of a row with its index entries, as a mean of many. */
async function bytesOf(table: string, id: string): Promise<number> {
  const { results } = await bindings.DB.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
  const columns = results
    .map(({ name }) => (name === 'id' ? 'substr(lower(hex(randomblob(18))), 1, 36)' : name))
    .join();
  const size = async () => (await bindings.DB.prepare('SELECT 1').run()).meta.size_after;
  const before = await size();
  await bindings.DB.prepare(
    `INSERT INTO ${table} SELECT ${columns} FROM ${table}, (SELECT value FROM json_each(?)) AS n WHERE id = ?`,
  )
    .bind(JSON.stringify(Array.from({ length: ROWS }, (_, i) => i)), id)
    .run();
  return Math.round(((await size()) - before) / ROWS);
}

async function deletedClip() {
  const job = { ...newJob(), id: crypto.randomUUID(), clip: { ...OLD_CLIP, state: 'deleted' as const } };
  await jobIndex.projectJob(db, job, REQUEST, {
    bytes: 1,
    upkeepAt: null,
    idleSince: null,
    spareSince: null,
    trouble: null,
  });
  const row = await bindings.DB.prepare('SELECT id FROM clips WHERE job_id = ?').bind(job.id).first<{ id: string }>();
  return { jobId: job.id, clipId: row?.id ?? '' };
}

describe('what the index keeps', () => {
  it('of an expired clip is under 300 bytes, with its entries in all indexes', { tags: ['long'] }, async () => {
    const { jobId, clipId } = await deletedClip();
    expect(await bytesOf('clips', clipId)).toBeLessThan(300);
    expect(await bytesOf('jobs', jobId)).toBeLessThan(480);
  });

  it('of a run is a row for thirty days, and its seconds in the sum of the day for good', async () => {
    const accountId = crypto.randomUUID();
    const run = { accountId, tier: 'metered', resolution: 1080, fps: 30, seconds: 2.5, renderedAt: T0 } as const;
    for (const jobId of ['one', 'two', 'one'])
      await usage.insertUsage(db, { ...run, jobId: jobId + accountId, run: 1 });
    const sum = () =>
      bindings.DB.prepare('SELECT seconds FROM usage_days WHERE account_id = ?').bind(accountId).first();
    expect(await sum()).toEqual({ seconds: 5 });
    const runs = async () =>
      (await bindings.DB.prepare('SELECT job_id FROM usage WHERE account_id = ?').bind(accountId).all()).results;
    const expire = (at: number) => expiry.removeExpired(db, expiry.EXPIRIES.usage, at, 90);
    await expire(T0 + RUN_KEPT_MS);
    expect(await runs()).toHaveLength(2);
    await expire(T0 + RUN_KEPT_MS + 1);
    expect(await runs()).toEqual([]);
    expect(await sum()).toEqual({ seconds: 5 });
  });
});
