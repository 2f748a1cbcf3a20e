import { describe, expect, it, vi } from 'vitest';
import { runUpkeep } from '#src/upkeep.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { bindings, submit } from '../support/service.ts';

const DAY = 24 * 60 * 60 * 1000;
const scene = useScenario();

async function makeClips(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let i = 0; i < count; i++) {
    const jobId = await submit(scene.account.metered);
    await scene.host.finish(await scene.host.claimJob(jobId));
    await fireAlarm(jobId);
    made.push(jobId);
  }
  return made;
}

async function leftOf(jobIds: readonly string[]): Promise<number> {
  await Promise.all(jobIds.map(fireAlarm));
  const { results } = await bindings.DB.prepare("SELECT job_id FROM clips WHERE state = 'ready'").all<{
    job_id: string;
  }>();
  return results.filter(({ job_id }) => jobIds.includes(job_id)).length;
}

describe('expiry', () => {
  it('goes on in batches until none is left', async () => {
    const clips = await makeClips(7);
    vi.setSystemTime(Date.now() + 31 * DAY);
    const { service } = createFaultyService();
    expect((await runUpkeep(service, Date.now(), 2)).expired).toBe(7);
    expect(await leftOf(clips)).toBe(0);
  });

  it('ends when its time is up, and the next runs continue, each with another sweep first', async () => {
    const clips = await makeClips(4);
    vi.setSystemTime(Date.now() + 31 * DAY);
    const { service } = createFaultyService();
    let now = 0;
    const hurried = { ...service, job: service.job, now: () => (now += 120_000) };
    const expired: number[] = [];
    for (let runs = 0; runs < 60 && expired.length < 2; runs++) {
      vi.setSystemTime(Date.now() + 5 * 60_000);
      const report = await runUpkeep(hurried, Date.now(), 2);
      if (report.expired > 0) expired.push(report.expired);
    }
    expect(expired).toEqual([2, 2]);
    expect(await leftOf(clips)).toBe(0);
  });

  it('ends without an error if the plan allows no more calls, and the next runs continue', async () => {
    const clips = await makeClips(6);
    vi.setSystemTime(Date.now() + 31 * DAY);
    const faulty = createFaultyService();
    const lines: string[] = [];
    const service = { ...faulty.service, job: faulty.service.job, log: (message: string) => lines.push(message) };
    let expired = 0;
    for (let runs = 0; runs < 30 && expired < 6; runs++) {
      vi.setSystemTime(Date.now() + 5 * 60_000);
      faulty.allow(25);
      expired += (await runUpkeep(service, Date.now(), 2)).expired;
    }
    expect(expired).toBe(6);
    expect(new Set(lines)).toEqual(new Set(['upkeep stopped early: no calls are left in this run']));
    expect(await leftOf(clips)).toBe(0);
  });
});

describe('the watchdog', () => {
  it('asks the index three times for each batch, however many jobs are in it: an invocation has 1,000 statements', async () => {
    await bindings.DB.prepare('UPDATE jobs SET watch_at = NULL').run();
    const row = bindings.DB.prepare(
      `INSERT INTO jobs (id, account_id, clip_id, version, status, mode, priority, resolution, created_at, watch_at)
       VALUES (?, 'elsewhere', '', 1, 'pending', 'round', 0, 1080, 0, 1)`,
    );
    await bindings.DB.batch(Array.from({ length: 120 }, () => row.bind(crypto.randomUUID())));
    const faulty = createFaultyService();
    const { called } = await runUpkeep(faulty.service, Date.now(), 50);
    expect(called).toBe(120);
    const watched = faulty.calls.filter((call) => call === 'DB').length;
    // Three batches, a page of each other sweep, the accounts with their limits, and the cursors of the sweeps.
    expect(watched).toBeLessThanOrEqual(3 * 3 + 27);
    const left = await bindings.DB.prepare('SELECT COUNT(*) AS n FROM jobs WHERE watch_at IS NOT NULL').first('n');
    expect(left).toBe(0);
  });
});
