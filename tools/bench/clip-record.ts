import { Log, LogLevel } from 'miniflare';
import type { PublicRecord } from '#domain/job/public-record.ts';

/** The settings of each runtime. */
export const QUIET = { log: new Log(LogLevel.ERROR), cf: false, host: '127.0.0.1', port: 0 } as const;
/** The variables of the service. */
export const VARIABLES = {
  BASE_URL: 'https://tickreel.test',
  ENVIRONMENT: 'local',
  LOG_LEVEL: 'error',
  LOG_SAMPLE: '0',
  ACCEPTED_DEMO_DOMAINS: '*',
  CLIP_ID_SECRET: 'a-secret-for-the-ids-of-clips-in-a-bench',
};

/** The record of a clip that can be played. */
type Ready = Extract<PublicRecord, { readonly state: 'ready' }>;

/** Returns the public record of a clip for a bench. Its video and thumbnail have the same size (bytes) and SHA-256. */
export function clipRecord(id: string, bytes: number, sha256: string): Ready {
  const file = (name: string) => ({ key: `clips/${id}/1/${name}`, bytes, sha256 });
  const madeAt = Date.parse('2026-11-22');
  return {
    version: 7,
    state: 'ready',
    clip: {
      title: '3 kills by Ferris on de_nuke, round 5',
      facts: { kills: 3, players: ['Ferris'], map: 'de_nuke', round: 5 },
      resolution: 1080,
      fps: 60,
      durationSeconds: 12.5,
      video: file('video.mp4'),
      thumbnail: file('thumbnail.jpg'),
      createdAt: madeAt,
      renderedAt: madeAt,
    },
  };
}
