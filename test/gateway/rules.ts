import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Skill } from '#domain/host/need.ts';
import { PICTURES } from '../support/pictures.ts';
import type { Kind } from './host-request.ts';
import { IN_FLIGHT_MS } from './scripted-gateway.ts';
import { asksAgain, claims, completes, fails, first, must, ONE_JOB, type Rule, type Stage } from './stage.ts';

const script = () => ({ claims: [] });
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

async function takes({ send }: Stage, grant: Parameters<Stage['send']>[0]): Promise<void> {
  const { status } = await send(grant);
  must(status === 202, `it answered ${status}`);
}

/** Rules for a host that is sent its jobs, one at a time, instead of the rules about claims. */
export const PUSH_RULES: readonly Rule[] = [
  {
    says: 'takes a signed grant with 202, also when it comes twice, and makes its clip',
    script,
    async play(stage) {
      const grant = stage.gateway.grant();
      await takes(stage, grant);
      await takes(stage, grant);
      await completes(stage);
    },
  },
  {
    says: 'refuses a grant that is not signed, or with another secret, or over five minutes ago',
    script,
    async play(stage) {
      const grant = stage.gateway.grant();
      for (const how of [{ secret: null }, { secret: OTHER_SECRET }, { ageS: 310 }]) {
        const { status } = await stage.send(grant, how);
        must(status >= 400 && status < 500, `it answered ${status}`);
      }
      await takes(stage, grant);
      await completes(stage);
    },
  },
  {
    says: 'answers 429 or 503 with Retry-After while it works on as many jobs as it can',
    script,
    async play(stage) {
      const grant = stage.gateway.grant();
      await takes(stage, grant);
      const { status, headers } = await stage.send({ ...grant, job_id: randomUUID() });
      must([429, 503].includes(status) && headers.has('Retry-After'), `it answered ${status}`);
      await completes(stage);
    },
  },
];

/** Returns whether the first claim reports a skill. */
async function says({ gateway, until }: Stage, skill: Skill): Promise<boolean> {
  await until('a claim', () => gateway.of('claimJob').length > 0);
  const [claim] = gateway.of('claimJob');
  const { skills = [] } = (claim?.values.capabilities ?? {}) as { readonly skills?: readonly Skill[] };
  return skills.includes(skill);
}
const UPLOADED = { more: { is_uploaded_demo: true }, order: { demo_url: 'https://127.0.0.1:1/api/uploads/a-demo' } };
const LOOK = { claims: ['job', 'none'], order: { selection: { mode: 'inspect' } } } as const;

/** Rules for a host that reports skills beyond rendering. */
const SKILL_RULES: readonly Rule[] = [
  {
    says: 'fetches an uploaded demo from the gateway, if it reports that skill',
    script: ({ demoPath }) => ({ ...ONE_JOB, ...UPLOADED, uploaded: demoPath }),
    async play(stage) {
      if (!(await says(stage, 'uploads'))) return;
      await completes(stage);
      must(stage.gateway.of('fetchDemo').length > 0, 'it rendered without');
    },
  },
  {
    says: 'fails a job whose uploaded demo was deleted with demo_404, if it reports that skill',
    script: () => ({ ...ONE_JOB, ...UPLOADED }),
    async play(stage) {
      if (!(await says(stage, 'uploads'))) return;
      const code = await fails(stage);
      must(code === 'demo_404', `the code was ${code}`);
    },
  },
  {
    says: 'reports what it finds in a demo, makes no clip, and claims again, if it reports that skill',
    script: () => LOOK,
    async play(stage) {
      if (!(await says(stage, 'inspect'))) return;
      const { gateway } = stage;
      await stage.until('a report', () => gateway.of('jobInspected').some(({ answer }) => answer === 204));
      await asksAgain(stage);
      must(gateway.of('beginUpload').length === 0, 'it uploaded something');
    },
  },
  {
    says: 'fails with demo_404 if the demo to inspect is missing, if it reports that skill',
    script: () => LOOK,
    demo: 'missing',
    async play(stage) {
      if (!(await says(stage, 'inspect'))) return;
      const code = await fails(stage);
      must(code === 'demo_404', `the code was ${code}`);
    },
  },
];

/** Rules for every request, whatever the gateway does. */
export const GENERAL_RULES: Readonly<Record<string, string>> = {
  token: 'sends its token with every request',
  shape: 'sends only what the gateway has an address for, in its shape',
  'request id': 'sends the request_id of its grant back with all that follows',
  fence: 'reports only on jobs and fences that were granted to it',
  confirmation: 'sends no report before its first heartbeat',
  heartbeats: 'confirms within 5 s, and is never silent for longer than its lease',
  progress: 'reports progress that does not go back',
  parts: 'uploads parts of the given size, in order, each with its SHA-256, and lists them all',
  completion: 'completes with the files that it uploaded',
  'lost lease': 'sends no report under a lease that it has lost',
  'demo keys': 'reports only demos as cached that it was granted',
  patience: 'waits for the answer to a claim',
};

const WATERMARK_ID = '6f0d2a54-9b1e-4c7a-8f53-2e7d1c94b6a0';
const WATERMARK = Buffer.from(PICTURES.png);
/** Returns the seconds between the first request of a kind, which was refused, and the next one. */
function pauseS({ gateway }: Stage, kind: Kind): number {
  const [refused, again] = gateway.of(kind);
  return refused && again ? (again.atMs - refused.atMs) / 1000 : Number.POSITIVE_INFINITY;
}
const CLOCK_OFF_S = 3600;
/** A timer may fire slightly early. */
const EARLY_S = 0.05;

const STEPS: readonly Kind[] = ['beginUpload', 'uploadPart', 'endUpload', 'completeJob'];

export const RULES: readonly Rule[] = [
  {
    says: 'renders, uploads both files, completes, and claims again',
    script: () => ONE_JOB,
    async play(stage) {
      await completes(stage);
      await asksAgain(stage);
      const files = new Set(stage.gateway.of('endUpload').map(({ values }) => values.file));
      must(files.size === 2, 'it did not upload both files');
    },
  },
  {
    says: 'claims again when there is no work',
    script: () => ({ claims: ['none', 'none', 'job'] }),
    play: completes,
  },
  {
    says: 'waits for an answer to its claim for as long as it is held',
    script: ({ holdS }) => ({ claims: [{ holdS }, 'job'] }),
    play: completes,
  },
  {
    says: 'repeats a first heartbeat that is not answered, before the grant goes back',
    script: () => ({ ...ONE_JOB, fault: first(['heartbeat'], 'unseen') }),
    demo: 'withheld',
    async play(stage) {
      await stage.until('a second heartbeat', () => stage.gateway.of('heartbeat').length > 1);
      stage.demo.release();
      await completes(stage);
    },
  },
  {
    says: 'keeps its lease alive while it works',
    script: () => ({ ...ONE_JOB, lease: { ttl_s: 4, heartbeat_s: 1 } }),
    demo: 'withheld',
    async play(stage) {
      await stage.until('six heartbeats', () => stage.gateway.of('heartbeat').length >= 6);
      stage.demo.release();
      await completes(stage);
    },
  },
  {
    says: 'continues if answers get lost, and uses the fence of the last grant',
    script: () => ({
      claims: ['unanswered', 'job'],
      fault: (kind, nth) => (nth === 0 || (kind === 'heartbeat' && nth === 1) ? 'unanswered' : undefined),
    }),
    async play(stage) {
      const { gateway } = stage;
      // The next heartbeat may say that the job is done before the host has repeated its completion.
      await stage.until('a completed job', () => gateway.leases.at(-1)?.state === 'done');
      await asksAgain(stage);
      const given = gateway.of('failJob').length + gateway.of('releaseJob').length;
      must(gateway.of('completeJob').length > 0 && given === 0, 'it ended the job in another way');
    },
  },
  {
    says: 'repeats a step that is answered with 503, and not before Retry-After is over',
    script: () => ({ ...ONE_JOB, fault: first(STEPS, { problem: 'unavailable', retryAfterS: 2 }) }),
    async play(stage) {
      await completes(stage);
      for (const kind of STEPS) {
        const paused = pauseS(stage, kind);
        must(paused >= 2 - EARLY_S, `${kind} came again after ${paused.toFixed(2)} s, and Retry-After was 2`);
      }
    },
  },
  {
    says: 'does not call the gateway for as long as a 429 to its claim says',
    script: () => ({ claims: [{ problem: 'limit_reached', retryAfterS: 3 }, 'job'] }),
    async play(stage) {
      await completes(stage);
      const paused = pauseS(stage, 'claimJob');
      must(paused >= 3 - EARLY_S, `it asked again after ${paused.toFixed(2)} s, and Retry-After was 3`);
    },
  },
  {
    says: 'drops its work, and claims again, when a heartbeat is answered with stale_lease',
    script: () => ({
      claims: ['job', 'job'],
      fault: (kind, nth) => (kind === 'heartbeat' && nth === 2 ? 'stolen' : undefined),
    }),
    demo: 'withheld',
    async play(stage) {
      await stage.until('a third heartbeat', () => stage.gateway.of('heartbeat').length > 2);
      // A host that still works on it gets what it needs once nothing can be in transit.
      await delay(IN_FLIGHT_MS + 500);
      stage.demo.release();
      await completes(stage);
    },
  },
  {
    says: 'drops its work when the lease is lost during an upload',
    script: () => ({
      claims: ['job', 'job'],
      fault: (kind, nth) => (kind === 'uploadPart' && nth === 1 ? 'stolen' : undefined),
    }),
    async play(stage) {
      await completes(stage);
      const lost = stage.gateway.of('failJob').length + stage.gateway.of('releaseJob').length;
      must(lost === 0, 'it reported on the job that it had lost');
      const late = stage.gateway.of('completeJob').filter(({ values }) => values.fence === 1);
      must(late.length === 0, 'it completed the job that it had lost');
    },
  },
  {
    says: 'uploads a file again if storage has lost it',
    script: () => ({
      ...ONE_JOB,
      fault: (kind, nth) => (kind === 'uploadPart' && nth === 1 ? { problem: 'upload_incomplete' } : undefined),
    }),
    async play(stage) {
      await completes(stage);
      const [one, two] = stage.gateway.of('beginUpload').map(({ values }) => values.file);
      must(one === two, 'it did not begin that file anew');
    },
  },
  {
    says: 'fails the attempt if storage loses a file each time',
    script: () => ({
      ...ONE_JOB,
      fault: (kind) => (kind === 'endUpload' ? { problem: 'upload_incomplete' } : undefined),
    }),
    async play(stage) {
      await fails(stage);
      const tries = stage.gateway.of('beginUpload').length;
      must(tries <= 5, `it began the file ${tries} times`);
    },
  },
  {
    says: 'fails a job for good, once, when the gateway refuses its completion',
    script: () => ({
      ...ONE_JOB,
      fault: (kind) => (kind === 'completeJob' ? { problem: 'invalid_request' } : undefined),
    }),
    async play(stage) {
      const code = await fails(stage);
      must(code === 'finalize_failed', `the code was ${code}, not finalize_failed`);
      must(stage.gateway.of('completeJob').length === 1, 'it repeated a refused report');
    },
  },
  {
    says: 'fails a job whose demo is missing with demo_404, and claims again',
    script: () => ONE_JOB,
    demo: 'missing',
    async play(stage) {
      const code = await fails(stage);
      must(code === 'demo_404', `the code was ${code}`);
      must(stage.gateway.of('beginUpload').length === 0, 'it uploaded something');
      await asksAgain(stage);
    },
  },
  {
    says: 'fails a job whose demo has a name that does not resolve with download_error, and claims again',
    // RFC 2606 reserves `.invalid`: it never resolves.
    script: () => ({
      ...ONE_JOB,
      order: { demo_url: 'http://demos.invalid/match.dem' },
      more: { accepted_domains: ['demos.invalid'] },
    }),
    async play(stage) {
      const code = await fails(stage);
      must(code === 'download_error', `the code was ${code}`);
      await asksAgain(stage);
    },
  },
  {
    says: 'works with a clock that is an hour off, and reports by how much',
    script: () => ({ claims: ['none', 'job', 'none'], clockOffS: CLOCK_OFF_S }),
    async play(stage) {
      await completes(stage);
      await asksAgain(stage);
      const claim = stage.gateway.of('claimJob').at(-1);
      const { clock_off_s: off } = Object(claim?.values.capabilities) as { readonly clock_off_s?: number };
      must(off !== undefined, 'it did not report clock_off_s');
      must(Math.abs(Number(off) - CLOCK_OFF_S) <= 60, `it reported ${off} s, and it was ${CLOCK_OFF_S} s ahead`);
    },
  },
  {
    says: 'follows no redirect to a domain that is not accepted',
    script: () => ONE_JOB,
    demo: 'elsewhere',
    async play(stage) {
      await fails(stage);
      must(stage.demo.trapped() === 0, 'it went there');
    },
  },
  {
    says: 'downloads a demo again for a grant with another demo_key: it is another account’s',
    script: () => ({ claims: ['job', 'job'], demoKeys: ['a'.repeat(32), 'b'.repeat(32)] }),
    async play(stage) {
      const { gateway, demo } = stage;
      await stage.until(
        'two jobs at their end',
        () => gateway.leases.filter(({ state }) => state === 'done').length > 1,
      );
      must(demo.asked() >= 2, 'it gave one account what another had downloaded');
    },
  },
  ...SKILL_RULES,
  {
    says: 'fetches the watermark that its order names',
    script: () => ({ ...ONE_JOB, order: { watermark_image_id: WATERMARK_ID }, watermark: WATERMARK }),
    async play(stage) {
      await completes(stage);
      must(stage.gateway.of('fetchAsset').length > 0, 'it rendered without');
    },
  },
  {
    says: 'fails a job whose watermark is gone',
    script: () => ({ ...ONE_JOB, order: { watermark_image_id: WATERMARK_ID } }),
    play: async (stage) => void (await fails(stage)),
  },
  {
    says: 'reads a grant of a newer service with unknown fields',
    script: () => ({ ...ONE_JOB, more: { of_tomorrow: { depth: [1, 2] }, and_more: null } }),
    play: completes,
  },
  {
    says: 'continues to claim when a program before the service answers 403 with a page',
    script: () => ({ claims: [{ page: 403 }, 'job'] }),
    play: completes,
  },
  {
    says: 'ends, with a status that is not 0, when the service refuses its token',
    script: () => ({ claims: Array.from({ length: 100 }, () => ({ problem: 'unauthorized' })) }),
    async play(stage) {
      const status = await stage.end();
      must(status !== 0, 'its status was 0');
      must(claims(stage) <= 3, `it asked ${claims(stage)} times`);
    },
  },
  {
    says: 'ends its claim at a stop signal, and releases or finishes a job that it is granted all the same',
    script: () => ({ claims: [], grantsOnLeave: true }),
    async play(stage) {
      await stage.until('a claim', () => stage.gateway.held() > 0);
      stage.signal('SIGTERM');
      const status = await stage.end();
      must(status === 0, `its status was ${status}`);
      must(stage.gateway.of('endPoll').length > 0, 'it did not end its claim');
      const [lease] = stage.gateway.leases;
      must(lease?.state === 'done', 'it left the job that it was granted to its lease');
    },
  },
  {
    says: 'finishes or releases its job at a stop signal during the work, and does not claim again',
    script: () => ({ claims: ['job', 'job', 'job'] }),
    demo: 'withheld',
    async play(stage) {
      await stage.until('a heartbeat', () => stage.gateway.of('heartbeat').length > 0);
      stage.signal('SIGTERM');
      stage.demo.release();
      const status = await stage.end();
      must(status === 0, `its status was ${status}`);
      must(stage.gateway.of('failJob').length === 0, 'it failed the job');
      must(stage.gateway.leases[0]?.state === 'done', 'it left the job to its lease');
      must(claims(stage) === 1, 'it claimed another job');
    },
  },
];
