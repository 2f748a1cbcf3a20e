import { env } from 'cloudflare:test';
import { expect, it, vi } from 'vitest';
import { hostOf } from '../support/host.ts';
import { fireAlarm, resetQueue, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, createHost, readJob, sendJson, submit } from '../support/service.ts';
import { OTHER_VIDEO, type TestHost } from '../support/test-host.ts';

const scene = useScenario();
const MINUTE = 60_000;
/** The time in which a host records its golden demos. */
const GOLDEN_MS = 2 * MINUTE;
/** How many jobs have a fallback and an upgrade, and how many have none. `npm run soak:update` sets 1000. */
const JOBS = Number((env as unknown as { UPDATE_JOBS: string }).UPDATE_JOBS);
const OLD = 'https://demos.example.com/old.dem';
/** The most jobs of a host in a minute, so that all hosts work. */
const MOST = Math.ceil(JOBS / 2);
/** Minutes between two rounds of alarms. */
const ALARMS_EVERY = 3;

interface Verdict {
  readonly game_build: string;
  readonly demo_build: string;
  readonly verdict: string;
  readonly first_at: string;
}

/** A stand-in of a host with the game. `isGolden`: it has golden demos. `isBroken`: its recorder fails with build 2. */
interface Recorder {
  readonly host: TestHost;
  readonly isGolden: boolean;
  readonly isBroken: boolean;
}

const newHost = async () => hostOf(await createHost());

/** Returns what a host reports of itself; null while it records its golden demos. */
function ableOf({ isGolden, isBroken }: Recorder, build: string, since: number): object | null {
  if (isGolden && Date.now() - since < GOLDEN_MS) return null;
  const passed = !isBroken || build !== '2';
  return { renderer: 'cs2', game_build: build, ...(isGolden && { golden: { passed, reason: 'ace.dem: black' } }) };
}

/** Has a host claim jobs and end each, as a completion, or a failure if that has a code. */
async function work(host: TestHost, able: object | null, end: (jobId: string, demo: string) => object) {
  for (let jobs = 0; able !== null && jobs < MOST; jobs++) {
    const grant = await host.claim(able);
    if (!grant) break;
    await host.heartbeat(grant);
    const body = end(grant.job_id, grant.order.demo_url);
    const ended = 'code' in body ? host.report(grant, 'fail', { detail: '', ...body }) : host.finish(grant, body);
    expect((await ended).status).toBe(204);
  }
}

it('an update of all hosts in one night that half of them fail with loses no job and lets no bad take through', {
  timeout: 1_200_000,
}, async () => {
  const { metered, id } = scene.account;
  await resetQueue();
  await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { renderer: 'cs2', limits: { fallback: 5 } });
  const recorders: Recorder[] = [];
  for (let i = 0; i < 8; i++) {
    recorders.push({ host: await newHost(), isGolden: i % 4 < 2, isBroken: i % 2 === 0 });
  }
  const radars = [await newHost(), await newHost()];
  for (const each of recorders) await work(each.host, ableOf(each, '1', 0), () => ({}));

  // Build 2 refuses the older half of the demos.
  const plain: string[] = [];
  const kept: string[] = [];
  for (let i = 0; i < JOBS; i++) {
    const demo = i % 2 === 0 ? {} : { demo_url: OLD };
    plain.push(await submit(metered, demo));
    kept.push(await submit(metered, { ...demo, fallback: 'radar', upgrade: true }));
  }
  const isOdd = (_: string, i: number) => i % 2 === 1;
  const [waiting, fallen] = [plain.filter(isOdd), kept.filter(isOdd)];
  /** Jobs without a clip, and those whose clip is of the radar. */
  const open = new Set([...plain, ...kept]);
  const drawn = new Set<string>();
  const failed = new Set<string>();
  const [bad, unfit]: [string[], string[]] = [[], []];

  /** Updates all hosts. Then they work once a minute, and alarms of failed jobs fire. Returns when it began. */
  async function update(build: string, most: number, isOver: () => boolean): Promise<number> {
    const since = Date.now();
    for (let minute = 0; minute < most && !isOver(); minute++) {
      for (const each of recorders) {
        const able = ableOf(each, build, since);
        const isBroken = each.isBroken && build === '2';
        await work(each.host, able, (jobId, demo) => {
          if (isBroken || demo === OLD) failed.add(jobId);
          if (isBroken) (each.isGolden ? bad : unfit).push(jobId);
          if (isBroken && !each.isGolden) return { code: 'cs2_unavailable', unfit_build: build };
          if (demo === OLD && build === '2') return { code: 'demo_incompatible', refused_build: build };
          for (const jobs of [open, drawn]) jobs.delete(jobId);
          return { video: OTHER_VIDEO, game: { game_build: build, demo_patch: 14160 } };
        });
      }
      for (const host of radars) {
        await work(host, { renderer: 'radar' }, (jobId) => {
          open.delete(jobId);
          drawn.add(jobId);
          return {};
        });
      }
      vi.setSystemTime(Date.now() + MINUTE);
      if (minute % ALARMS_EVERY !== 1) continue;
      for (const jobId of failed) if (open.has(jobId) || drawn.has(jobId)) await fireAlarm(jobId);
    }
    return since;
  }
  const view = (jobId: string) => readJob(metered, `${jobId}?include=renderer`);

  // Without a fallback, a demo that build 2 refuses waits for another build.
  const broken = await update('2', 30, () => open.size === waiting.length && drawn.size === fallen.length);
  expect(open).toEqual(new Set(waiting));
  expect(drawn).toEqual(new Set(fallen));
  const before = new Map<string, Record<string, unknown>>();
  for (const jobId of fallen) before.set(jobId, await view(jobId));

  const mended = await update('3', 30, () => open.size + drawn.size === 0);
  for (const jobId of [...plain, ...kept]) {
    const { clip_id, finished_at } = before.get(jobId) ?? {};
    const inPlace = clip_id === undefined ? {} : { clip_id, finished_at };
    expect(await view(jobId)).toMatchObject({ ...inPlace, status: 'done', error_code: null, renderer: 'cs2' });
  }
  for (const [, job] of before) expect(job).toMatchObject({ status: 'done', error_code: null, renderer: 'radar' });
  expect(bad).toEqual([]);
  // One job shows that a recorder does not fit.
  expect(unfit.length).toBeLessThanOrEqual(2);
  const billed = bindings.DB.prepare(
    'SELECT COUNT(*) AS n, COUNT(DISTINCT job_id) AS jobs FROM usage WHERE account_id = ?',
  );
  expect(await billed.bind(id).first()).toEqual({ n: 2 * JOBS, jobs: 2 * JOBS });

  const matrix = await (await sendJson(ADMIN_TOKEN, 'GET', '/admin/builds')).json<{ builds: Verdict[] }>();
  for (const [game_build, since, verdicts] of [
    ['2', broken, ['failed', 'passed']],
    ['3', mended, ['passed']],
  ] as const) {
    const golden = matrix.builds.filter((one) => one.game_build === game_build && one.demo_build === 'golden');
    expect(golden.map(({ verdict }) => verdict).sort()).toEqual(verdicts);
    for (const { first_at } of golden) expect(Date.parse(first_at) - since).toBeLessThan(5 * MINUTE);
  }
});
