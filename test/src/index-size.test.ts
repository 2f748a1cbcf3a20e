import { describe, expect, it } from 'vitest';
import { projectJob } from '../../storage/job-index.ts';
import { insertUsage, pruneUsage } from '../../storage/usage.ts';
import { newJob, T0 } from '../domain/builders.ts';
import { createHarsh } from '../support/harsh.ts';
import { bindings } from '../support/service.ts';

const db = createHarsh().service.database;
const ROWS = 2000;
const FILE = { key: `clips/${crypto.randomUUID()}/1/video.mp4`, bytes: 9_000_000, sha256: 'f'.repeat(64) };
const CLIP = {
  isSaved: false,
  title: '2 kills by Ferris on cs_italy',
  facts: { kills: 2, players: ['Ferris'], map: 'cs_italy', round: 7 },
  resolution: 1080,
  fps: 30,
  tier: 'metered' as const,
  durationSeconds: 7.5,
  video: FILE,
  thumbnail: FILE,
  createdAt: T0,
  renderedAt: T0,
};

/** Bytes that a row takes with its entries in all indexes, measured over many like it. */
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
  const job = { ...newJob(), id: crypto.randomUUID(), clip: { ...CLIP, state: 'deleted' as const } };
  await projectJob(db, job, { mode: 'round', fps: null }, { upkeepAt: null, idleSince: null, trouble: null });
  const row = await bindings.DB.prepare('SELECT id FROM clips WHERE job_id = ?').bind(job.id).first<{ id: string }>();
  return { jobId: job.id, clipId: row?.id ?? '' };
}

describe('what the index keeps', () => {
  it('of an expired clip is under 300 bytes, with its entries in all indexes', async () => {
    const { jobId, clipId } = await deletedClip();
    expect(await bytesOf('clips', clipId)).toBeLessThan(300);
    expect(await bytesOf('jobs', jobId)).toBeLessThan(450);
  });

  it('of a run is a row for thirty days, and its seconds in the sum of the day for good', async () => {
    const accountId = crypto.randomUUID();
    const run = { accountId, tier: 'metered', resolution: 1080, fps: 30, seconds: 2.5, renderedAt: T0 } as const;
    for (const jobId of ['one', 'two', 'one']) await insertUsage(db, { ...run, jobId: jobId + accountId, run: 1 });
    const sum = () =>
      bindings.DB.prepare('SELECT seconds FROM usage_days WHERE account_id = ?').bind(accountId).first();
    expect(await sum()).toEqual({ seconds: 5 });
    expect(await pruneUsage(db, T0 + 1, 90)).toBe(2);
    expect(await pruneUsage(db, T0 + 1, 90)).toBe(0);
    expect(await sum()).toEqual({ seconds: 5 });
  });
});
