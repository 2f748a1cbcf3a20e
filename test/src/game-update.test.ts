import { env } from 'cloudflare:test';
import { expect, it, vi } from 'vitest';
import { createHost } from '../support/accounts.ts';
import { fireAlarm, resetQueue, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, readJob, sendJson, submit } from '../support/service.ts';
import { OTHER_VIDEO, type TestHost } from '../support/test-host.ts';

const scene = useScenario();
const MINUTE = 60_000;
/** How many jobs have a fallback, and how many have none. `npx node test/soak/cli.ts update` sets 1000. */
const JOBS = Number((env as unknown as { UPDATE_JOBS: string }).UPDATE_JOBS);
const OLD = 'https://demos.example.com/old.dem';
/** The most jobs of a host in a minute, so that all hosts work. */
const MOST = Math.ceil(JOBS / 2);
/** Minutes between two rounds of alarms. */
const ALARMS_EVERY = 3;

/** A stand-in of a host with the game. `isBroken`: its recorder does not fit build 2. */
interface Recorder {
  readonly host: TestHost;
  readonly isBroken: boolean;
}

const ableOf = (game_build: string) => ({ renderer: 'cs2', game_build });

/** Has a host claim jobs and end each, as a completion, or a failure if that has a code. */
async function work(host: TestHost, able: object, end: (jobId: string, demo: string) => object) {
  for (let jobs = 0; jobs < MOST; jobs++) {
    const grant = await host.claim(able);
    if (!grant) break;
    await host.heartbeat(grant);
    const body = end(grant.job_id, grant.order.demo_url);
    const ended = 'code' in body ? host.report(grant, 'fail', { detail: '', ...body }) : host.finish(grant, body);
    expect((await ended).status).toBe(204);
  }
}

it('an update of all hosts in one night that half of them fail with loses no job', {
  timeout: 1_200_000,
}, async () => {
  const { metered, id } = scene.account;
  await resetQueue();
  await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { renderer: 'cs2', limits: { fallback: 5 } });
  const recorders: Recorder[] = [];
  for (let i = 0; i < 8; i++) {
    recorders.push({ host: await createHost(), isBroken: i % 2 === 0 });
  }
  const radars = [await createHost(), await createHost()];
  for (const { host } of recorders) await work(host, ableOf('1'), () => ({}));

  // Build 2 refuses the older half of the demos.
  const plain: string[] = [];
  const kept: string[] = [];
  for (let i = 0; i < JOBS; i++) {
    const demo = i % 2 === 0 ? {} : { demo_url: OLD };
    plain.push(await submit(metered, demo));
    kept.push(await submit(metered, { ...demo, fallback: 'radar' }));
  }
  const isOdd = (_: string, i: number) => i % 2 === 1;
  const [waiting, fallen] = [plain.filter(isOdd), kept.filter(isOdd)];
  /** Jobs without a clip, and those whose clip is of the radar. */
  const open = new Set([...plain, ...kept]);
  const drawn = new Set<string>();
  const failed = new Set<string>();
  const unfit: string[] = [];

  /** Updates all hosts. Then they work once a minute, and alarms of failed jobs fire. */
  async function update(build: string, most: number, isOver: () => boolean): Promise<void> {
    for (let minute = 0; minute < most && !isOver(); minute++) {
      for (const { host, isBroken } of recorders) {
        await work(host, ableOf(build), (jobId, demo) => {
          if (build === '2' && (isBroken || demo === OLD)) failed.add(jobId);
          if (isBroken && build === '2') {
            unfit.push(jobId);
            return { code: 'cs2_unavailable', unfit_build: build };
          }
          if (demo === OLD && build === '2') return { code: 'demo_incompatible', refused_build: build };
          open.delete(jobId);
          return { video: OTHER_VIDEO };
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
      for (const jobId of failed) if (open.has(jobId)) await fireAlarm(jobId);
    }
  }
  const view = (jobId: string) => readJob(metered, `${jobId}?include=renderer`);

  // Without a fallback, a demo that build 2 refuses waits for another build.
  await update('2', 30, () => open.size === waiting.length && drawn.size === fallen.length);
  expect(open).toEqual(new Set(waiting));
  expect(drawn).toEqual(new Set(fallen));
  await update('3', 30, () => open.size === 0);
  for (const jobId of [...plain, ...kept]) {
    const renderer = drawn.has(jobId) ? 'radar' : 'cs2';
    expect(await view(jobId)).toMatchObject({ status: 'done', error_code: null, renderer });
  }
  // One job shows that a recorder does not fit.
  expect(unfit.length).toBeLessThanOrEqual(4);
  const billed = bindings.DB.prepare(
    'SELECT COUNT(*) AS n, COUNT(DISTINCT job_id) AS jobs FROM usage WHERE account_id = ?',
  );
  expect(await billed.bind(id).first()).toEqual({ n: 2 * JOBS, jobs: 2 * JOBS });
});
