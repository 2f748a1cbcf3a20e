import { DAY_MS } from '#domain/metering.ts';
import type { Overview } from '#protocol/operate.ts';
import type { Database } from '#storage/database.ts';
import { type MadeClip, selectMadeClips } from '#storage/find.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The most clips that are read. */
const CLIPS = 200;

type Speed = Overview['speed'];
const known = new WeakMap<Database, { readonly at: number; readonly speed: Speed }>();

/** Returns how fast clips are made. Reads it once a minute, because a console asks every five seconds. */
export async function readSpeed(database: Database, now: number): Promise<Speed> {
  const before = known.get(database);
  if (before && now - before.at < MINUTE_MS) return before.speed;
  const speed = speedOf(await selectMadeClips(database, now - DAY_MS, CLIPS), now);
  known.set(database, { at: now, speed });
  return speed;
}

/** `made`: the latest first. */
function speedOf(made: readonly MadeClip[], now: number): Speed {
  const inHour = made.filter(({ renderedAt }) => renderedAt > now - HOUR_MS);
  const isPart = inHour.length === CLIPS;
  const span = isPart ? Math.max(1, now - (inHour.at(-1)?.renderedAt ?? 0)) : HOUR_MS;
  const first = made.filter(({ isFirst }) => isFirst === 1);
  const seconds = first.map(({ submittedAt, renderedAt }) => (renderedAt - submittedAt) / 1000).sort((a, b) => a - b);
  const percentile = (share: number) => seconds[Math.ceil(seconds.length * share) - 1] ?? null;
  return {
    clips_an_hour: Math.round((inHour.length * HOUR_MS) / span),
    p50_s: percentile(0.5),
    p95_s: percentile(0.95),
    clips: first.length,
  };
}
