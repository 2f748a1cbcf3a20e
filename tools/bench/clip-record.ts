import type { PublicRecord } from '#domain/job/public-record.ts';

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
