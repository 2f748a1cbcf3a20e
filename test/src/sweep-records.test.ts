import { describe, expect, it } from 'vitest';
import { publicRecordKey } from '../../domain/storage-keys.ts';
import { createService } from '../../service/service.ts';
import { runUpkeep } from '../../src/upkeep.ts';
import { hasAllRecords, readRecord } from '../../storage/public-record.ts';
import { forgetRecord } from '../../storage/record-cache.ts';
import { createClipMaker } from '../support/clips.ts';
import { createHarsh } from '../support/harsh.ts';
import { bindings, send } from '../support/service.ts';

const MINUTE = 60_000;

/** A clip as it was made before there were records. */
async function withoutRecord(id: string): Promise<void> {
  await bindings.CLIPS.delete(publicRecordKey(id));
  await forgetRecord(createService(bindings), id);
}

describe('clips of before there were records', () => {
  it('are shown as they are, and have one from then on; so have all, once the cron has been by', async () => {
    const { CLIPS } = bindings;
    const maker = await createClipMaker();
    const ids = [await maker.make(), await maker.make(), await maker.make()] as const;
    const [ready, deleted, unseen] = ids;
    await maker.remove(deleted);
    for (const id of ids) await withoutRecord(id);
    expect((await send(`/clips/${ready}`)).status).toBe(200);
    expect((await send(`/clips/${deleted}/video.mp4`)).status).toBe(410);
    expect(await readRecord(CLIPS, ready)).toMatchObject({ state: 'ready' });
    expect(await readRecord(CLIPS, deleted)).toMatchObject({ state: 'deleted' });
    expect(await readRecord(CLIPS, unseen)).toBeNull();

    const harsh = createHarsh();
    const begun = Date.now();
    const upkeep = async (at: number) => (await runUpkeep(harsh.service, at)).recorded;
    // While the deploy is new or a clip has failed, no clip is reported as unknown.
    expect(await upkeep(begun)).toBe(0);
    expect(await upkeep(begun + 14 * MINUTE)).toBe(0);
    harsh.fail('RENDER_JOB.publish', 'The object is away.');
    expect(await upkeep(begun + 20 * MINUTE)).toBe(2);
    expect(await hasAllRecords(CLIPS)).toBe(false);
    expect(await upkeep(begun + 25 * MINUTE)).toBe(1);
    expect(await readRecord(CLIPS, unseen)).toMatchObject({ state: 'ready' });
    expect(await hasAllRecords(CLIPS)).toBe(true);
    harsh.reset();
    expect(await upkeep(begun + 60 * MINUTE)).toBe(0);
    expect(harsh.calls.filter((call) => call.startsWith('RENDER_JOB'))).toEqual([]);
  });

  it('and of objects of before, which write none, are shown all the same', async () => {
    const maker = await createClipMaker();
    const id = await maker.make();
    await withoutRecord(id);
    const harsh = createHarsh();
    harsh.fail('RENDER_JOB.publish', 'The RPC receiver does not implement the method "publish".');
    await bindings.CLIPS.delete('records-complete');
    expect((await harsh.send('', 'GET', `/clips/${id}`)).status).toBe(200);
    expect(harsh.calls).toContain('RENDER_JOB.readPublicClip');
    expect(await readRecord(bindings.CLIPS, id)).toBeNull();
  });
});
