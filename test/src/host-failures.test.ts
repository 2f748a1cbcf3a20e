import { describe, expect, it } from 'vitest';
import { createService } from '../../service/service.ts';
import { runUpkeep } from '../../src/upkeep.ts';
import { countHostFailures, insertHostFailure } from '../../storage/hosts.ts';
import { bindings } from '../support/service.ts';

const service = createService(bindings);
const { database: db } = service;
const DAY = 86_400_000;
const NOW = Date.now();

const rows = async (hostId: string) =>
  (await bindings.DB.prepare('SELECT COUNT(*) AS n FROM host_failures WHERE host_id = ?').bind(hostId).first('n')) ?? 0;

describe('failures of hosts', () => {
  it('are counted by code, each attempt once, over the time that is asked for', async () => {
    const [a, b] = [crypto.randomUUID(), crypto.randomUUID()];
    const fail = (hostId: string, code: string, failedAt: number, jobId = 'j') =>
      insertHostFailure(db, { hostId, code, failedAt, jobId });
    await fail(a, 'demo_404', NOW);
    await fail(a, 'demo_404', NOW);
    await fail(a, 'demo_404', NOW, 'k');
    await fail(a, 'upload_error', NOW - DAY);
    await fail(a, 'upload_error', NOW - DAY - 1);
    await fail(b, 'demo_404', NOW);
    const counted = await countHostFailures(db, [a, b, crypto.randomUUID()], NOW - DAY);
    expect(counted.toSorted((x, y) => y.count - x.count || (x.hostId === a ? -1 : 1))).toEqual([
      { hostId: a, code: 'demo_404', count: 2 },
      { hostId: a, code: 'upload_error', count: 1 },
      { hostId: b, code: 'demo_404', count: 1 },
    ]);
  });

  it('are so many of a code and no more, however often a host fails', async () => {
    const hostId = crypto.randomUUID();
    const put = bindings.DB.prepare("INSERT INTO host_failures SELECT ?, 'demo_404', value, 'j' FROM json_each(?)");
    await put.bind(hostId, JSON.stringify(Array.from({ length: 499 }, (_, i) => NOW + i))).run();
    for (let i = 1; i <= 3; i++)
      await insertHostFailure(db, { hostId, code: 'demo_404', failedAt: NOW - i, jobId: 'j' });
    expect(await rows(hostId)).toBe(500);
    await insertHostFailure(db, { hostId, code: 'upload_error', failedAt: NOW, jobId: 'j' });
    expect(await rows(hostId)).toBe(501);
  });

  it('are forgotten by the cron after a day, also where there are thousands', async () => {
    const hostId = crypto.randomUUID();
    const put = bindings.DB.prepare(
      "INSERT INTO host_failures SELECT ?, 'c' || (value % 9), ?, 'j' || value FROM json_each(?)",
    );
    const numbers = JSON.stringify(Array.from({ length: 3000 }, (_, i) => i));
    await put.bind(hostId, NOW - DAY - 1, numbers).run();
    await put.bind(hostId, NOW - DAY - 5000, numbers).run();
    await insertHostFailure(db, { hostId, code: 'demo_404', failedAt: NOW - DAY, jobId: 'j' });
    await runUpkeep(service, NOW);
    expect(await rows(hostId)).toBe(1);
  });
});
