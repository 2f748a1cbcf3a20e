import { ASSET_USES } from '#domain/clip/render-order.ts';
import type { Renderer } from '#domain/host/need.ts';
import { rendererOf } from '#domain/job/fallback.ts';
import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import { uuidFromBytes } from '#domain/lib/ids.ts';
import type { IsOpaque } from '#http/json-text.ts';
import { invalidRequest, ProblemError } from '#http/problem.ts';
import type { Context } from '#http/router.ts';
import { hmacSha256 } from '#platform/digest.ts';
import { ASSET_FIELDS } from '#protocol/account/assets.ts';
import { DIFFERS_HEADER, namesAsked, parseSubmit, REPLAYED_HEADER, type ValidRequest } from '#protocol/clip/submit.ts';
import { callUrlFault } from '#protocol/demo/demos.ts';
import { uploadIdIn } from '#protocol/demo/uploads.ts';
import type { FieldError } from '#protocol/lib/problem.ts';
import type { Added, RuleOfJob, SubmitOutcome } from '#rpc/render-job.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { findAssets } from '#storage/account/assets.ts';
import { readRecord } from '#storage/clip/public-record.ts';
import { findUpload, holdUpload } from '#storage/demo/uploads.ts';
import type { Database } from '#storage/lib/database.ts';
import type { Service } from '../lib/service.ts';
import { counted, firstLimitReached, tooManyReruns } from './job-limits.ts';

export interface SubmitAnswer {
  readonly jobId: string;
  /** 201 if a new job is queued. */
  readonly status: 200 | 201;
  readonly headers: Record<string, string>;
}

/**
 * Submits one job. The body is checked first: an invalid request claims no key. The id of a job with an idempotency key
 * is computed from the key, so all requests with that key reach one object, which decides between new job, replay and
 * redo. So an account at its limit still gets replays. `extras`: the text of that field.
 * `rule`: what submits it, if not a client.
 */
export async function submitOne(
  service: Pick<Service, 'job' | 'clipIds' | 'database' | 'files' | 'settings' | 'now' | 'controls'>,
  { caller, requestId }: Pick<Context<never, Caller>, 'caller' | 'requestId'>,
  body: unknown,
  extras: string | null,
  rule?: RuleOfJob,
): Promise<SubmitAnswer> {
  const { job, clipIds, files, settings } = service;
  if (settings.reservedNeedsSlots && caller.keyKind === 'reserved' && caller.slots === 0) {
    throw new ProblemError('forbidden', 'The account has no provisioned slots. Submit with a metered key.');
  }
  const submitted = await requireValid(service, caller, body, extras, true);
  const key = submitted.idempotency_key;
  const jobId = key === undefined ? crypto.randomUUID() : await jobIdOfKey(caller.idSalt, key);
  const clipId = await clipIds.clipIdOf(jobId);
  const isTest = caller.keyKind === 'test';
  // Jobs of test keys are deleted with their keys. A new one has the same clip, whose record says that it is deleted.
  const { version = 0 } = (isTest && key !== undefined && (await readRecord(files, clipId))) || {};
  const { blocked } = await service.controls.read();
  const full = firstLimitReached(caller, settings, service.now());
  if (full && key === undefined) throw full.problem;
  const outcome = await counted(
    service,
    caller,
    submitted,
    async () =>
      job(jobId).submit({
        jobId,
        accountId: caller.accountId,
        clipId,
        priority: caller.keyKind === 'reserved',
        request: submitted,
        requestId,
        asks: {
          renderer: rendererOf(submitted, caller.renderer, settings.renderer),
          labels: caller.labels,
          ...(caller.limits.frames === undefined ? {} : { frames: caller.limits.frames }),
          ...(caller.limits.fallback === undefined ? {} : { fallback: caller.limits.fallback }),
        },
        full: full?.of,
        blocked,
        rule,
        isTest,
        version,
      }),
    addedBy,
  );
  if (outcome === 'limit_reached' && full) throw full.problem;
  if (outcome === 'limit_reached' || outcome === 'too_many_reruns') throw tooManyReruns(settings);
  return { jobId, status: outcome === 'created' ? 201 : 200, headers: HEADERS[outcome] };
}

/**
 * Returns the request of a submit's body, with the account's default of `names`. Throws a 400 problem with every rule
 * that it breaks. `isAdmitted`: whether a job is made of it.
 */
export async function requireValid(
  service: Pick<Service, 'database' | 'settings' | 'now'>,
  caller: Caller,
  body: unknown,
  extras: string | null,
  isAdmitted = false,
): Promise<ValidRequest> {
  const parsed = parseSubmit(body, extras);
  const errors = [
    ...(parsed.ok ? rendererAndNameErrors(parsed.request, caller, service.settings.renderer) : parsed.errors),
    ...webhookErrors(body, service.settings),
  ];
  if (!parsed.ok || errors.length > 0) throw invalidRequest(errors);
  await requireAssets(service.database, caller.accountId, parsed.request);
  await requireUploadedDemo(service, caller, parsed.request.demo_url, isAdmitted);
  return caller.hidesNames ? { names: 'hide', ...parsed.request } : parsed.request;
}

/** Whether a value of a submit's body is passed on as its text. */
export const isExtras: IsOpaque = (path) => path.length === 1 && path[0] === 'extras';

function addedBy(outcome: SubmitOutcome): Added {
  if (outcome === 'redone') return 'run';
  return outcome === 'created' ? 'job' : null;
}

const HEADERS: Record<Exclude<SubmitOutcome, 'limit_reached' | 'too_many_reruns'>, Record<string, string>> = {
  created: {},
  redone: {},
  replayed: { [REPLAYED_HEADER]: 'true' },
  differs: { [REPLAYED_HEADER]: 'true', [DIFFERS_HEADER]: 'true' },
};

/**
 * Returns an error for each field that conflicts with the account or the names: the radar for a `cs2_only` account; a
 * HUD, outlines or killfeed of the game that would show hidden names.
 */
function rendererAndNameErrors(
  request: ValidRequest,
  { renderer }: Pick<Caller, 'renderer'>,
  defaultRenderer: Renderer,
): FieldError[] {
  const paths = renderer === 'cs2_only' ? (['renderer', 'fallback'] as const) : [];
  const message = 'must not name the radar: the game makes all clips of this account';
  const errors = paths.flatMap((path) => (request[path] === 'radar' ? [{ path, message }] : []));
  if (!namesAsked(request) || rendererOf(request, renderer, defaultRenderer) !== 'cs2') return errors;
  const { commands: { cl_draw_only_deathnotices, spec_show_xray } = {}, hud_killfeed } = request;
  const refused = [
    ['commands.cl_draw_only_deathnotices', cl_draw_only_deathnotices === '0', '"1"'],
    ['commands.spec_show_xray', spec_show_xray === '1', '"0"'],
    ['hud_killfeed', hud_killfeed === false, 'true'],
  ] as const;
  const why = 'with these names: the game would show the real names';
  const hiding = refused.flatMap(([path, isRefused, needed]) =>
    isRefused ? [{ path, message: `must be ${needed} ${why}` }] : [],
  );
  return [...errors, ...hiding];
}

/** Returns why the address of the webhook is refused. A text that is no URL breaks another rule. */
export function webhookErrors(body: unknown, policy: AddressPolicy): FieldError[] {
  const url = typeof body === 'object' && body !== null && 'webhook_url' in body ? body.webhook_url : null;
  if (typeof url !== 'string' || !URL.canParse(url)) return [];
  const message = callUrlFault(url, policy);
  return message === null ? [] : [{ path: 'webhook_url', message }];
}

/** Throws a 400 problem with each field that does not name an asset of its kind and of the account. */
async function requireAssets(database: Database, accountId: string, request: ValidRequest): Promise<void> {
  const ids = ASSET_USES.flatMap((use) => request[ASSET_FIELDS[use]] ?? []);
  const found = ids.length === 0 ? [] : await findAssets(database, accountId, ids);
  const errors = ASSET_USES.flatMap((use): FieldError[] => {
    const path = ASSET_FIELDS[use];
    const asset = found.find(({ id }) => id === request[path]);
    if (request[path] === undefined || asset?.kind === use) return [];
    const other = asset ? `; this one is of kind ${asset.kind}` : '';
    return [{ path, message: `must be the UUID of one of your assets of kind ${use}${other}` }];
  });
  if (errors.length > 0) throw invalidRequest(errors);
}

/**
 * Throws a 400 problem if the address is of an upload that is not complete or not of the account. For a job that is
 * made, keeps the demo until the deadline of its run.
 */
export async function requireUploadedDemo(
  { database, settings, now }: Pick<Service, 'database' | 'settings' | 'now'>,
  caller: Caller,
  demoUrl: string,
  isAdmitted: boolean,
): Promise<void> {
  const id = uploadIdIn(demoUrl, settings.ownOrigins);
  if (id === null) return;
  const { accountId } = caller;
  if (isAdmitted) await holdUpload(database, { accountId, id }, now(), now() + settings.schedule.runDeadline);
  const upload = await findUpload(database, accountId, id);
  if (upload !== null && upload.completedAt !== null && upload.expiresAt > now()) return;
  const message = 'must be the demo_url of one of your uploads that is complete';
  throw invalidRequest([{ path: 'demo_url', message }]);
}

/**
 * Computes the HMAC-SHA-256 of the key under the salt of the account: equal keys of two accounts give different ids.
 */
export async function jobIdOfKey(saltHex: string, key: string): Promise<string> {
  const salt = Uint8Array.from(saltHex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return uuidFromBytes(await hmacSha256(salt)(key), 8);
}
