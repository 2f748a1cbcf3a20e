import { type ClipFacts, clipTitle } from '../../domain/clip-title.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { Grant, UploadBegin } from '../../protocol/gateway.ts';
import { CAPABILITIES } from './capabilities.ts';
import { send, sendJson } from './service.ts';
import { standInJpeg, standInMp4 } from './stand-ins.ts';

/** A render host that speaks the gateway's protocol as told, without rendering anything. */
export class TestHost {
  readonly token: string;

  constructor(token: string) {
    this.token = token;
  }

  async claim(
    overrides: Partial<Record<keyof typeof CAPABILITIES | 'skills', unknown>> = {},
    waitS = 0,
  ): Promise<Grant | null> {
    const body = { capabilities: { ...CAPABILITIES, ...overrides }, wait_s: waitS };
    const response = await sendJson(this.token, 'POST', '/gateway/v1/claim', body);
    return response.status === 204 ? null : response.json<Grant>();
  }

  /** Claims until it gets this job; others that it meets are handed back afterwards. */
  async claimJob(jobId: string): Promise<Grant> {
    const others: Grant[] = [];
    let grant = await this.claim({}, 20);
    while (grant && grant.job_id !== jobId) {
      others.push(grant);
      grant = await this.claim({}, 20);
    }
    await Promise.all(others.map((other) => this.report(other, 'release')));
    if (!grant) throw new Error(`job ${jobId} was not offered`);
    return grant;
  }

  report(grant: Grant, kind: string, body: Record<string, unknown> = {}): Promise<Response> {
    const fence = grant.lease.fence;
    return sendJson(this.token, 'POST', `/gateway/v1/jobs/${grant.job_id}/${kind}`, { fence, ...body });
  }

  heartbeat(grant: Grant, phase: 'prefetch' | 'render' = 'render', progress = 0.5): Promise<Response> {
    return this.report(grant, 'heartbeat', { phase, progress });
  }

  /** Uploads a file in one part. */
  async upload(grant: Grant, file: UploadBegin['file'], bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const begun = await (await this.report(grant, 'uploads', { file })).json<{ upload_id: string }>();
    const query = new URLSearchParams({
      fence: String(grant.lease.fence),
      file,
      upload_id: begun.upload_id,
      part: '1',
      sha256: await sha256Hex(bytes),
    });
    const response = await send(`/gateway/v1/jobs/${grant.job_id}/uploads/part?${query}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${this.token}` },
      body: bytes,
    });
    const parts = [await response.json()];
    await this.report(grant, 'uploads/complete', { file, upload_id: begun.upload_id, parts });
  }

  /** Uploads both files, and a storyboard if there is one, and completes the job. */
  async finish(
    grant: Grant,
    video = VIDEO,
    thumbnail = THUMBNAIL,
    words: { title?: string; facts?: ClipFacts; storyboard?: Uint8Array<ArrayBuffer> } = {},
  ): Promise<Response> {
    const { facts, title = facts ? clipTitle(facts) : TITLE, storyboard } = words;
    await this.upload(grant, 'video', video);
    await this.upload(grant, 'thumbnail', thumbnail);
    if (storyboard) await this.upload(grant, 'storyboard', storyboard);
    return this.report(grant, 'complete', {
      title,
      facts,
      duration_seconds: 7.5,
      video: { bytes: video.byteLength, sha256: await sha256Hex(video) },
      thumbnail: { bytes: thumbnail.byteLength, sha256: await sha256Hex(thumbnail) },
      ...(storyboard && {
        storyboard: {
          ...{ bytes: storyboard.byteLength, sha256: await sha256Hex(storyboard) },
          ...{ columns: 6, rows: 4, interval_seconds: 0.5 },
        },
      }),
    });
  }
}

const TITLE = '2 kills by Ferris on cs_italy';

export const VIDEO = standInMp4(100_000);
export const THUMBNAIL = standInJpeg(2_000);
