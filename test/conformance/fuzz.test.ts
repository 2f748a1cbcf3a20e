import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, expectProblem, roundRequest, send, UUID } from './support/api.ts';
import { type FuzzedRequest, fuzzedPath, fuzzedSubmit } from './support/arbitraries.ts';
import { type Account, BASE_URL, createAccount, renderedClip } from './support/service.ts';

/** `npx node test/soak/cli.ts hostile` asks for more; FUZZ_SEED repeats a run. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 150);
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_731);
const LIMIT_MS = 8 * 60_000;

const settings = { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS };

let account: Account;
let other: Account;
let foreign: { jobId: string; clipId: string };

beforeAll(async () => {
  account = await createAccount();
  other = await createAccount();
  foreign = await renderedClip(other.metered, roundRequest());
});

const counts = new Map<number, number>();

async function answerTo({ method, path, type, body }: FuzzedRequest, { metered }: Account): Promise<Answer> {
  const headers: Record<string, string> = { Authorization: `Bearer ${metered.key}` };
  if (type !== '') headers['Content-Type'] = type;
  const answer = await send(BASE_URL + path, { method, headers, body });
  counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
  return answer;
}

/** Expects a 2xx, or a 4xx with a valid problem. */
function expectSane(answer: Answer): void {
  expect(answer.headers.get('X-Request-Id')).toMatch(UUID);
  if (answer.status < 200 || answer.status > 299) {
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.status, answer.text).toBeLessThan(500);
    // Pages show errors in HTML.
    if (!answer.headers.get('Content-Type')?.startsWith('text/html')) expectProblem(answer, answer.status);
  }
}

/** Returns the ids of all jobs in the list of the account. */
async function listedJobs(): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor = ''; ; ) {
    const { body } = await account.metered.get(`/api/jobs?limit=200${cursor}`);
    for (const { id } of body.jobs as { id: string }[]) ids.add(id);
    if (body.next_cursor === null) return ids;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

function printCounts(what: string): void {
  const figures = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  if (process.env.FUZZ_RUNS !== undefined) process.stdout.write(`${what}, seed ${SEED}: ${figures.join(', ')}\n`);
  counts.clear();
}

describe('random input', () => {
  it(
    'makes a job with the sent values or is refused, and a refused submit makes nothing',
    async () => {
      const created = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fuzzedSubmit, async (request) => {
          const answer = await answerTo(request, account);
          expectSane(answer);
          if (answer.status >= 300) return;
          const jobId = String(answer.body.job_id);
          expect(created.has(jobId)).toBe(answer.status === 200);
          if (answer.status !== 201) return;
          created.add(jobId);
          if (request.sent) await expectEcho(jobId, request.sent);
        }),
        settings,
      );
      printCounts('submissions');
      expect(created.size).toBeGreaterThan(RUNS / 20);
      // The list follows the jobs by some milliseconds.
      await expect
        .poll(async () => (await listedJobs()).size, { timeout: 30_000 })
        .toBeGreaterThanOrEqual(created.size);
      expect(await listedJobs()).toEqual(created);
    },
    LIMIT_MS + 60_000,
  );

  it(
    'gets no 5xx at any address, and changes no other account',
    async () => {
      const before = [await other.metered.job(foreign.jobId), await other.metered.clip(foreign.clipId)];
      const asking = await createAccount();
      const own = await renderedClip(asking.metered, roundRequest());
      await fc.assert(
        fc.asyncProperty(fuzzedPath([foreign.jobId, foreign.clipId, own.clipId]), async (request) => {
          expectSane(await answerTo(request, asking));
        }),
        settings,
      );
      printCounts('addresses');
      expect([await other.metered.job(foreign.jobId), await other.metered.clip(foreign.clipId)]).toEqual(before);
    },
    LIMIT_MS + 60_000,
  );
});

/** Expects the stored request to be the one that was sent (2.2). */
async function expectEcho(jobId: string, sent: Record<string, unknown>): Promise<void> {
  const { force: _, webhook_auth_header: __, ...kept } = sent;
  const { status, error_code } = await account.metered.job(jobId);
  if (status === 'error') expect([error_code, maybeTooLong(sent)]).toEqual(['clip_too_long', true]);
  else expect(status).toMatch(/^(pending|prefetch)$/);
  expect((await account.metered.job(jobId)).payload).toEqual({
    idempotency_key: null,
    resolution: 1080,
    ...kept,
    extras: 'extras' in sent ? JSON.stringify(sent.extras) : null,
  });
}

/**
 * Whether a timeline asks for more frames than a clip may have by default (docs/security.md), if none of its segments
 * overlap.
 */
function maybeTooLong({ timeline = [], fps = 30 }: { timeline?: readonly Segment[]; fps?: number }): boolean {
  const ticks = timeline.reduce((sum, { start_tick, end_tick }) => sum + end_tick - start_tick, 0);
  return (ticks / 64) * fps > 600_000;
}

interface Segment {
  readonly start_tick: number;
  readonly end_tick: number;
}
