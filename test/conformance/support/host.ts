import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Grant } from '../../../protocol/gateway.ts';
import { standInJpeg, standInMp4 } from '../../support/stand-ins.ts';
import { createApi, send } from './api.ts';

export const CAPABILITIES = {
  renderer: 'radar',
  max_resolution: 1440,
  max_fps: 120,
  game_build: null,
  agent_version: 'conformance',
} as const;

export const VIDEO = standInMp4(40_000);
export const OTHER_VIDEO = standInMp4(30_000, 17);
export const THUMBNAIL = standInJpeg(2_000);
export const OTHER_THUMBNAIL = standInJpeg(1_500, 11);

interface Render {
  readonly video?: Uint8Array;
  readonly thumbnail?: Uint8Array;
  readonly title?: string;
  readonly duration?: number;
}

export type Host = ReturnType<typeof createHost>;

/** A render host that speaks the gateway's protocol as told, without rendering anything. */
export function createHost(baseUrl: string, token: string) {
  const api = createApi(baseUrl, token);

  async function report(grant: Grant, kind: string, body: Record<string, unknown> = {}): Promise<void> {
    const answer = await api.post(`/gateway/v1/jobs/${grant.job_id}/${kind}`, { fence: grant.lease.fence, ...body });
    expect(answer.status, answer.text).toBe(204);
  }

  /** Uploads a file in one part. */
  async function upload(grant: Grant, file: 'video' | 'thumbnail', bytes: Uint8Array): Promise<void> {
    const path = `/gateway/v1/jobs/${grant.job_id}/uploads`;
    const { fence } = grant.lease;
    const upload_id = String((await api.post(path, { fence, file })).body.upload_id);
    const query = new URLSearchParams({ fence: String(fence), file, upload_id, part: '1', sha256: sha256(bytes) });
    const headers = { Authorization: `Bearer ${token}` };
    const part = await send(`${baseUrl}${path}/part?${query}`, { method: 'PUT', headers, body: bytes });
    const answer = await api.post(`${path}/complete`, { fence, file, upload_id, parts: [part.body] });
    expect(answer.status, answer.text).toBe(200);
  }

  return {
    /** The next job, under a lease; null when there is none in time. */
    async claim(waitS = 0, maxFps: number = CAPABILITIES.max_fps): Promise<Grant | null> {
      const capabilities = { ...CAPABILITIES, max_fps: maxFps };
      const answer = await api.post('/gateway/v1/claim', { capabilities, wait_s: waitS });
      return answer.status === 200 ? (answer.body as unknown as Grant) : null;
    },

    /** Confirms a grant. False where that came too late: then the job offers itself again. */
    async begin(grant: Grant): Promise<boolean> {
      const path = `/gateway/v1/jobs/${grant.job_id}/heartbeat`;
      const answer = await api.post(path, { fence: grant.lease.fence, phase: 'prefetch', progress: 0 });
      expect([204, 409], answer.text).toContain(answer.status);
      return answer.status === 204;
    },
    render: (grant: Grant) => report(grant, 'heartbeat', { phase: 'render', progress: 0.5 }),
    fail: (grant: Grant, code: string) => report(grant, 'fail', { code, detail: 'as told' }),
    release: (grant: Grant) => report(grant, 'release'),

    /** Uploads both files and completes the job. */
    async finish(grant: Grant, render: Render = {}): Promise<void> {
      const { video = VIDEO, thumbnail = THUMBNAIL, title = '2 kills by Ferris on cs_italy', duration = 7.5 } = render;
      await Promise.all([upload(grant, 'video', video), upload(grant, 'thumbnail', thumbnail)]);
      await report(grant, 'complete', {
        title,
        duration_seconds: duration,
        video: { bytes: video.byteLength, sha256: sha256(video) },
        thumbnail: { bytes: thumbnail.byteLength, sha256: sha256(thumbnail) },
      });
    },
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
