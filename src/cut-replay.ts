import { cardsOf } from '#domain/plan/cards.ts';
import { planSelection } from '#domain/plan/plan-selection.ts';
import type { PlannableKill, PlannedShot } from '#domain/plan/plannable-match.ts';
import { cutTracksKey } from '#domain/storage-keys.ts';
import { sha256Hex } from '#platform/digest.ts';
import { plannableDemo } from '#protocol/plan.ts';
import { demoIdOf } from '#service/inspect-demo.ts';
import type { Service } from '#service/service.ts';
import { fileMetadata } from '#service/test-jobs.ts';
import type { Caller } from '#storage/accounts.ts';
import { TracksError } from '#tracks/bytes.ts';
import { cutTracks, openTracks } from '#tracks/file.ts';

/**
 * Gives a job its replay: cuts the ticks of its clip out of the tracks of its demo, if the account has inspected the
 * demo with `replay`. No host is needed. Does nothing if the job has a replay, or cannot have one.
 */
export async function cutReplay(
  { job, files, log }: Pick<Service, 'job' | 'files' | 'log'>,
  caller: Caller,
  jobId: string,
): Promise<void> {
  const { accountId } = caller;
  const own = await job(jobId).readReplay(accountId);
  if (!own.ok || !own.value.cut) return;
  const { clipId, run, demoUrl, cut } = own.value;
  const demo = await job(await demoIdOf(caller, demoUrl)).readReplay(accountId);
  if (!demo.ok || !demo.value.tracks || !demo.value.match) return;
  const { tracks: whole, match } = demo.value;
  const planned = planSelection(plannableDemo(match), cut.selection);
  if (!planned.ok) return;
  const leadSeconds = cardsOf(cut).before.reduce((sum, { seconds }) => sum + seconds, 0);
  try {
    const file = await openTracks(async (offset, length) => {
      const part = await files.get(whole.key, { range: { offset, length: Math.min(length, whole.bytes - offset) } });
      return new Uint8Array((await part?.arrayBuffer()) ?? new ArrayBuffer(0));
    });
    const bytes = await cutTracks(file, planned.shots.map(shownShot), leadSeconds);
    const key = cutTracksKey(clipId, crypto.randomUUID());
    await files.put(key, bytes, fileMetadata('tracks'));
    const tracks = { key, bytes: bytes.length, sha256: await sha256Hex(bytes) };
    if (!(await job(jobId).addTracks(accountId, { run, tracks })).ok) await files.delete(key);
  } catch (error) {
    if (!(error instanceof TracksError)) throw error;
    log('the replay of a job was not cut', { job: jobId, error: error.message });
  }
}

function shownShot({ kills, ...shot }: PlannedShot<PlannableKill>) {
  return { ...shot, kills: kills.map(({ tick }) => tick) };
}
