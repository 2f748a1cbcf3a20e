import { env } from 'cloudflare:test';
import { expect, it, vi } from 'vitest';
import { hostOf } from '../support/host.ts';
import { fireAlarm, resetQueue, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, createHost, readJob, sendJson, submit } from '../support/service.ts';
import { OTHER_VIDEO, type TestHost } from '../support/test-host.ts';

const scene = useScenario();
const MINUTE = 60_000;
const GOOD = { passed: true };
/** Half of them with a fallback and an upgrade. */
const JOBS = Number((env as unknown as { UPDATE_JOBS: string }).UPDATE_JOBS);

const game = (game_build: string, golden?: object) => ({ renderer: 'cs2', game_build, ...(golden && { golden }) });
const newHosts = async (count: number) => {
  const hosts: TestHost[] = [];
  while (hosts.length < count) hosts.push(hostOf(await createHost()));
  return hosts;
};

/** Advances the clock by twenty seconds at a time until no job is open: hosts work, then the open jobs' alarms fire. */
async function pass(minutes: number, open: ReadonlySet<string>, work: () => Promise<void>): Promise<void> {
  for (let step = 0; step < minutes * 3; step++) {
    await work();
    if (open.size === 0) return;
    vi.setSystemTime(Date.now() + MINUTE / 3);
    for (const jobId of open) await fireAlarm(jobId);
  }
}

/** Has a host claim jobs until there is none, and end each. */
async function all(
  host: TestHost,
  able: object,
  end: (jobId: string, fail: (body: object) => Promise<unknown>) => object | Promise<unknown>,
) {
  for (let grant = await host.claim(able); grant; grant = await host.claim(able)) {
    const of = grant;
    await host.heartbeat(of);
    const result = end(of.job_id, (body) => host.report(of, 'fail', { detail: '', ...body }));
    if (result instanceof Promise) await result;
    else expect((await host.finish(of, result)).status).toBe(204);
  }
}

it('an update that breaks the game on all hosts loses no job, and clips of the radar are upgraded after the fix', {
  timeout: 1_200_000,
}, async () => {
  const { metered, id } = scene.account;
  await resetQueue();
  await sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${id}`, { renderer: 'cs2' });
  const [unfit, refusing, radars] = [await newHosts(4), await newHosts(4), await newHosts(2)];
  const plain: string[] = [];
  const kept: string[] = [];
  for (let i = 0; i < JOBS; i++) {
    if (i % 2 === 0) plain.push(await submit(metered));
    else kept.push(await submit(metered, { fallback: 'radar', upgrade: true }));
  }
  const open = new Set([...plain, ...kept]);
  const closeEnded = async () => {
    for (const jobId of open) {
      const { status } = await readJob(metered, jobId);
      if (status === 'done' || status === 'error') open.delete(jobId);
    }
  };
  // The recorders of half of the hosts do not fit build 2; on the others it refuses the demos.
  await pass(10, open, async () => {
    for (const host of radars) await all(host, { renderer: 'radar' }, () => ({}));
    for (const host of unfit)
      await all(host, game('2'), (_, fail) => fail({ code: 'cs2_unavailable', unfit_build: '2' }));
    for (const host of refusing)
      await all(host, game('2'), (_, fail) => fail({ code: 'demo_incompatible', refused_build: '2' }));
    await closeEnded();
  });
  expect([...open]).toEqual([]);
  const view = (jobId: string) => readJob(metered, `${jobId}?include=renderer`);
  for (const jobId of plain)
    expect(await view(jobId)).toMatchObject({ status: 'error', error_code: 'demo_incompatible' });
  for (const jobId of kept) expect(await view(jobId)).toMatchObject({ status: 'done', renderer: 'radar' });

  // Build 3 is the fix: one host has golden demos.
  const mended = Date.now();
  const [first, ...others] = [...unfit, ...refusing];
  const upgraded = new Set<string>();
  const drawn = new Set(kept);
  await pass(30, drawn, async () => {
    const finish = (jobId: string) => {
      upgraded.add(jobId);
      return { video: OTHER_VIDEO, game: { game_build: '3', demo_patch: 14160 } };
    };
    if (first) await all(first, game('3', GOOD), finish);
    for (const host of others) await all(host, game('3'), finish);
    for (const jobId of upgraded) drawn.delete(jobId);
  });
  expect(upgraded).toEqual(new Set(kept));
  for (const jobId of kept) expect(await view(jobId)).toMatchObject({ status: 'done', renderer: 'cs2' });
  const query = bindings.DB.prepare(
    "SELECT first_at FROM build_verdicts WHERE game_build = '3' AND demo_build = 'golden'",
  );
  expect(Number(await query.first('first_at')) - mended).toBeLessThan(5 * MINUTE);
});
