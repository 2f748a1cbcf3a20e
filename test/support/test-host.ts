import { type ClipFacts, clipTitle } from '#domain/clip/clip-title.ts';
import { sha256Hex } from '#platform/digest.ts';
import type { Grant, UploadBegin } from '#protocol/host/gateway.ts';

// Fake files of a clip: valid at both ends, where the service looks, and noise between.

/** Returns a fake MP4: `ftyp`, an empty `moov`, then `mdat`. */
export function standInMp4(bytes: number, step = 31): Uint8Array<ArrayBuffer> {
  const file = noise(bytes, step);
  const view = new DataView(file.buffer);
  const box = (at: number, size: number, type: string) => {
    view.setUint32(at, size);
    for (let i = 0; i < 4; i++) view.setUint8(at + 4 + i, type.charCodeAt(i));
  };
  box(0, 16, 'ftyp');
  box(16, 8, 'moov');
  box(24, bytes - 24, 'mdat');
  return file;
}

/** Returns a fake JPEG with its first and last markers. */
export function standInJpeg(bytes: number, step = 7): Uint8Array<ArrayBuffer> {
  const file = noise(bytes, step);
  file.set([0xff, 0xd8, 0xff, 0xe0]);
  file.set([0xff, 0xd9], bytes - 2);
  return file;
}

function noise(bytes: number, step: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: bytes }, (_, i) => (i * step + (i >> 8)) & 0xff);
}

/** Capabilities of a host that can render anything. */
export const CAPABILITIES = {
  renderer: 'radar',
  max_resolution: 1440,
  max_fps: 120,
  game_build: null,
  agent_version: 'test',
} as const;

export const VIDEO = standInMp4(40_000);
export const OTHER_VIDEO = standInMp4(30_000, 17);
export const THUMBNAIL = standInJpeg(2_000);
export const OTHER_THUMBNAIL = standInJpeg(1_500, 11);

/** Capabilities that a host reports. Each field may be wrong on purpose. */
type Reported = 'skills' | 'gpu' | 'driver' | 'encoder' | 'clock_off_s' | 'free_bytes';
type Overrides = Partial<Record<keyof typeof CAPABILITIES | Reported, unknown>>;
type Bytes = Uint8Array<ArrayBuffer>;
type File = UploadBegin['file'];

/** The result of a render. The title follows from the facts unless it is given. */
export interface Made {
  readonly video?: Bytes | undefined;
  readonly thumbnail?: Bytes | undefined;
  readonly storyboard?: Bytes | undefined;
  /** The storyboard. */
  readonly rows?: number | undefined;
  readonly title?: string | undefined;
  readonly facts?: ClipFacts | undefined;
  readonly duration?: number | undefined;
}

/** Calls the gateway like a render host, and renders nothing. `send` sends its requests. */
export class TestHost {
  readonly token: string;
  readonly #send: (path: string, init: RequestInit) => Promise<Response>;

  constructor(token: string, send: (path: string, init: RequestInit) => Promise<Response>) {
    this.token = token;
    this.#send = send;
  }

  #post(path: string, body: object): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
    return this.#send(`/gateway/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Claims a job and returns the response. */
  ask(overrides: Overrides = {}, waitS = 0, more: object = {}): Promise<Response> {
    return this.#post('claim', { capabilities: { ...CAPABILITIES, ...overrides }, wait_s: waitS, ...more });
  }

  /** Returns the next job under a lease; null if there is none in time, or no slot. */
  async claim(overrides: Overrides = {}, waitS = 0): Promise<Grant | null> {
    const response = await this.ask(overrides, waitS);
    if (response.status === 200) return (await response.json()) as Grant;
    const text = await response.text();
    if ([204, 429, 503].includes(response.status)) return null;
    throw new Error(`a claim was answered with ${response.status}: ${text}`);
  }

  /** Claims until it gets this job. Then it releases the other jobs. */
  async claimJob(jobId: string, capabilities: Overrides = {}): Promise<Grant> {
    const others: Grant[] = [];
    let grant = await this.claim(capabilities, 20);
    while (grant && grant.job_id !== jobId) {
      others.push(grant);
      grant = await this.claim(capabilities, 20);
    }
    await Promise.all(others.map((other) => this.report(other, 'release')));
    if (!grant) throw new Error(`job ${jobId} was not offered`);
    return grant;
  }

  report(grant: Grant, kind: string, body: Record<string, unknown> = {}): Promise<Response> {
    return this.#post(`jobs/${grant.job_id}/${kind}`, { fence: grant.lease.fence, ...body });
  }

  heartbeat(grant: Grant, phase: 'prefetch' | 'render' = 'render', progress = 0.5): Promise<Response> {
    return this.report(grant, 'heartbeat', { phase, progress });
  }

  /** Confirms a grant. Returns false if it was too late: then the job offers itself again. */
  async begin(grant: Grant): Promise<boolean> {
    const response = await this.heartbeat(grant, 'prefetch', 0);
    if (response.status !== 409) await accepted(response);
    return response.status === 204;
  }

  render = async (grant: Grant) => accepted(await this.heartbeat(grant));
  fail = async (grant: Grant, code: string) => accepted(await this.report(grant, 'fail', { code, detail: 'as told' }));
  release = async (grant: Grant) => accepted(await this.report(grant, 'release'));
  complete = async (grant: Grant, made?: Made) => accepted(await this.finish(grant, made));

  /** Begins the upload of a file and returns its id. */
  async beginUpload(grant: Grant, file: File, bytes?: number): Promise<string> {
    return ((await (await this.report(grant, 'uploads', { file, bytes })).json()) as { upload_id: string }).upload_id;
  }

  /** Sends the only part of a file. */
  async part(grant: Grant, file: File, upload_id: string, bytes: Bytes): Promise<Response> {
    const { fence } = grant.lease;
    const query = new URLSearchParams({
      fence: String(fence),
      file,
      upload_id,
      part: '1',
      sha256: await sha256Hex(bytes),
    });
    // As every HTTP client sends it of a buffer.
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Length': String(bytes.byteLength) };
    return this.#send(`/gateway/v1/jobs/${grant.job_id}/uploads/part?${query}`, {
      method: 'PUT',
      headers,
      body: bytes,
    });
  }

  /** Uploads a file in one part. */
  async upload(grant: Grant, file: File, bytes: Bytes): Promise<void> {
    const upload_id = await this.beginUpload(grant, file, bytes.byteLength);
    const parts = [await (await this.part(grant, file, upload_id, bytes)).json()];
    await this.report(grant, 'uploads/complete', { file, upload_id, parts });
  }

  /** Uploads both files, and a storyboard if there is one, and completes the job. */
  async finish(grant: Grant, made: Made = {}): Promise<Response> {
    const { video = VIDEO, thumbnail = THUMBNAIL, storyboard, rows = 4, facts, duration = 7.5 } = made;
    await this.upload(grant, 'video', video);
    await this.upload(grant, 'thumbnail', thumbnail);
    if (storyboard) await this.upload(grant, 'storyboard', storyboard);
    return this.report(grant, 'complete', {
      title: made.title ?? (facts ? clipTitle(facts) : '2 kills by Ferris on cs_italy'),
      facts,
      duration_seconds: duration,
      video: await announced(video),
      thumbnail: await announced(thumbnail),
      ...(storyboard && {
        storyboard: { ...(await announced(storyboard)), columns: 6, rows, interval_seconds: 0.5 },
      }),
    });
  }
}

/** Creates a host of the service at an address. It reads every answer, so that none holds a connection. */
export const hostAt = (baseUrl: string, token: string) =>
  new TestHost(token, async (path, init) => {
    const response = await fetch(baseUrl + path, init);
    return new Response((await response.text()) || null, response);
  });

/** Returns a file as a completion reports it. */
export async function announced(file: Bytes): Promise<{ bytes: number; sha256: string }> {
  return { bytes: file.byteLength, sha256: await sha256Hex(file) };
}

async function accepted(response: Response): Promise<void> {
  const text = await response.text();
  if (response.status !== 204) throw new Error(`a report was answered with ${response.status}: ${text}`);
}
