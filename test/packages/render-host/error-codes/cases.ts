import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { composeMatch, encodeDemo, type MatchOutline, type RecordingOptions } from '#demo-writer/index.ts';
import type { RenderOrder, Selection } from '#domain/clip/render-order.ts';
import type { AttemptCode } from '#domain/failure/codes.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import type { Capture } from '#render-host/capture/capture.ts';
import { createCs2Capture } from '#render-host/capture/cs2/cs2-capture.ts';
import type { Cs2Settings } from '#render-host/capture/cs2/game/launch-args.ts';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import type { RenderClip, RenderClipDependencies, RenderedClip } from '#render-host/pipeline/render-clip.ts';
import type { Misbehaviour } from '#test/packages/render-host/agent/fake-gateway.ts';
import { PLAIN_KILLS } from '#test/support/plain-order.ts';
import { BODY_BZ2, BOMB_BZ2 } from '../decompress/archives.ts';

/** One way for a job to fail. Missing parts succeed. */
export interface Case {
  readonly what: string;
  /** The demo that is served, or its server. */
  readonly demo?: Uint8Array | RequestListener;
  readonly order?: Partial<RenderOrder>;
  readonly grant?: Partial<Grant>;
  readonly gateway?: Misbehaviour;
  readonly limits?: RenderClipDependencies['limits'];
  readonly capture?: Capture;
  /** A shell script instead of the encoder. `$FFMPEG` is the real encoder, `$out` the file to write. */
  readonly encoder?: string;
  /** Size of the disk of the job in bytes. */
  readonly disk?: number;
  /** How often the failure is reported; default once. */
  readonly reports?: number;
  readonly wrap?: (renderClip: RenderClip) => RenderClip;
}

/** Two kills of the first player in round 1, none in round 2. */
const SCRIPT = composeMatch({
  rounds: [
    { startTick: 10, endTick: 600, winner: 'T' },
    { startTick: 1000, endTick: 1300 },
  ],
  kills: [
    { tick: 400, attacker: 0, victim: 5 },
    { tick: 500, attacker: 0, victim: 6 },
  ],
  lastTick: 1700,
});
export const DEMO = Buffer.from(encodeDemo(SCRIPT));
export const PLAYER = SCRIPT.players[0]?.steamId ?? '';

function demoOf(outline: MatchOutline, recording: RecordingOptions = {}): Buffer {
  return Buffer.from(encodeDemo(composeMatch(outline), recording));
}

export function killsOf(steam64Id: string, round: number | null = null): Selection {
  return { ...PLAIN_KILLS, steam64Id, round, preKillPadding: 1, postKillPadding: 1 };
}

/** Returns a timeline of one segment of 64 ticks for each start. */
function timelineOf(steam64Id: string, ...starts: readonly number[]): Selection {
  return {
    mode: 'timeline',
    killSlowdown: null,
    segments: starts.map((startTick) => ({ steam64Id, startTick, endTick: startTick + 64, speed: 1 })),
  };
}

/** Five frames of one grey, or of noise, which does not compress. `frame` is for the thumbnail. */
function plainCapture(paint: (pixels: Uint8Array) => void, frame?: () => Promise<Uint8Array>): Capture {
  return async ({ options: { width, height } }) => {
    const pixels = new Uint8Array(width * height * 4);
    paint(pixels);
    const source: FrameSource = {
      frameCount: 5,
      frame: frame ?? (async () => pixels),
      async *frames(signal) {
        for (let i = 0; i < 5 && !signal.aborted; i++) yield pixels;
      },
    };
    return { ok: true, source, sound: null };
  };
}

export const GREY = plainCapture((pixels) => pixels.fill(128));

/** Each byte is random: xorshift, the same in each run. */
const NOISE = plainCapture((pixels) => {
  const words = new Uint32Array(pixels.buffer);
  let state = 0x9e3779b9;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
});

const MEGABYTE = 1 << 20;

/** The renderer of the game, on a machine that has none. */
const GAME = createCs2Capture({
  settings: { recorder: 'plugin' } as Cs2Settings,
  ffmpeg: { path: 'ffmpeg' },
  folder: '/nonexistent',
  log: { info() {}, warn() {} },
}).capture;

const STRANGER = '76561198999999999';

/** Long enough that its parser still runs when it is observed, however busy the machine is. */
const LONG_DEMO = demoOf({ lastTick: 30_000 });

const answers =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end();

const promises =
  (bytes: number): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-length': bytes }).end(DEMO);

const PACE = { stallWindowMs: 60, stallMinBytes: 1000 };

/** Sends the parsing child a signal once it reports progress. Without memory the kernel sends SIGKILL. */
const endsParser =
  (signal: NodeJS.Signals) =>
  (renderClip: RenderClip): RenderClip =>
  (request) =>
    renderClip({
      ...request,
      onProgress(step) {
        request.onProgress(step);
        if (step.progress > 0.155 && step.progress < 0.2) for (const pid of parserPids()) process.kill(pid, signal);
      },
    });

/** Deletes all files of the job at a stage, as a cleaner of temporary folders might. */
const vanishesAt =
  (progress: number) =>
  (renderClip: RenderClip): RenderClip =>
  (request) => {
    let gone = false;
    return renderClip({
      ...request,
      onProgress(step) {
        request.onProgress(step);
        if (gone || step.progress < progress) return;
        gone = true;
        rmSync(request.workDir, { recursive: true });
      },
    });
  };

let rendered: { readonly clip: RenderedClip; readonly video: Buffer; readonly thumbnail: Buffer } | null = null;

/** Renders the clip of all cases that are about its upload once. */
const rendersOnce =
  (renderClip: RenderClip): RenderClip =>
  async (request) => {
    if (rendered === null) {
      const clip = await renderClip(request);
      if (!clip.ok) return clip;
      rendered = { clip, video: readFileSync(clip.videoPath), thumbnail: readFileSync(clip.thumbnailPath) };
    }
    const [videoPath, thumbnailPath] = [join(request.workDir, 'clip.mp4'), join(request.workDir, 'thumbnail.jpg')];
    writeFileSync(videoPath, rendered.video);
    writeFileSync(thumbnailPath, rendered.thumbnail);
    return { ...rendered.clip, videoPath, thumbnailPath };
  };

/** Deletes a finished file of the clip before its upload. */
const losesFile =
  (name: 'videoPath' | 'thumbnailPath') =>
  (renderClip: RenderClip): RenderClip =>
  async (request) => {
    const clip = await rendersOnce(renderClip)(request);
    if (clip.ok) rmSync(clip[name]);
    return clip;
  };

function parserPids(): number[] {
  const tasks = readdirSync('/proc/self/task').map((task) => `/proc/self/task/${task}/children`);
  const children = tasks.flatMap((file) => readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number));
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('parse-child'));
}

/**
 * Each code of docs/contract.md 7.2 with a case that leads to it, and the cases that no stage sees by itself. The
 * stages' own tests have the rest. A missing code does not compile.
 */
export const CASES: Readonly<Record<AttemptCode, readonly Case[]>> = {
  demo_url_rejected: [
    { what: 'a demo on another domain', grant: { accepted_domains: ['demos.example.com'] } },
    { what: 'a demo that the operator has blocked', grant: { blocked: ['127.0.0.1'] } },
    { what: 'a private address where none is allowed', grant: { allow_private_addresses: false } },
  ],
  demo_404: [{ what: 'a server that answers 404', demo: answers(404) }],
  download_timeout: [{ what: 'a server that never answers', demo: () => {}, limits: { download: PACE } }],
  download_error: [{ what: 'a server that answers 500', demo: answers(500) }],
  decompress_failed: [{ what: 'an archive that is cut off', demo: gzipSync(DEMO).subarray(0, -20) }],
  demo_failed_parse: [
    { what: 'a server that promises less than it sends', demo: promises(2000) },
    { what: 'a parser that crashes', demo: LONG_DEMO, wrap: endsParser('SIGABRT') },
  ],
  demo_incompatible: [{ what: 'a demo of CS:GO', demo: Buffer.from(`HL2DEMO\0${'.'.repeat(2000)}`) }],
  workshop_not_supported: [
    {
      what: 'a workshop map in the game',
      demo: demoOf({ map: 'workshop/3070284539/de_test', lastTick: 1700 }),
      order: { selection: timelineOf(PLAYER, 400) },
      capture: GAME,
    },
  ],
  player_not_in_demo: [
    { what: 'a player who is not in the match', order: { selection: killsOf(STRANGER) } },
    { what: 'a segment of such a player', order: { selection: timelineOf(STRANGER, 400) } },
  ],
  pov_only: [{ what: 'another player’s own recording', demo: demoOf({ lastTick: 500 }, { recordedBy: 1 }) }],
  no_kills_found: [{ what: 'a round without a kill of the player', order: { selection: killsOf(PLAYER, 2) } }],
  segment_not_in_demo: [
    { what: 'a segment after the end of the demo', order: { selection: timelineOf(PLAYER, 90_000) } },
    {
      what: 'one such segment beside others',
      order: { selection: timelineOf(PLAYER, 400, 1700) },
    },
  ],
  clip_too_long: [
    { what: 'kills that last longer than is rendered', limits: { clip: { seconds: 1 } } },
    {
      what: 'a segment of more frames than are rendered',
      limits: { clip: { frames: 4 } },
      order: { selection: timelineOf(PLAYER, 400) },
    },
    { what: 'a video larger than storage takes', grant: { part_bytes: 1 } },
  ],
  render_failed: [
    {
      what: 'a watermark that the gateway refuses for good',
      order: { watermarkImageId: '00000000-0000-4000-8000-000000000000' },
      gateway: (kind) => (kind === 'assets/watermark' ? 400 : null),
    },
    {
      what: 'a heartbeat that the gateway takes for wrong',
      // Is parsed, so that the heartbeat comes before the clip is made.
      demo: DEMO,
      gateway: (kind) => (kind === 'heartbeat' ? 400 : null),
    },
    {
      what: 'a final failure whose code the service does not know',
      demo: Buffer.alloc(0),
      gateway: (kind, nth) => (kind === 'fail' && nth === 0 ? 400 : null),
      reports: 2,
    },
  ],
  finalize_failed: [
    {
      what: 'a thumbnail that cannot be made',
      capture: plainCapture(
        (pixels) => pixels.fill(128),
        () => Promise.reject(new Error('out of paint')),
      ),
    },
  ],
  upload_error: [
    {
      what: 'a token that is revoked while it uploads',
      gateway: (kind) => (kind === 'uploads/part' ? 'unauthorized' : null),
      wrap: rendersOnce,
    },
    {
      what: 'files that are not there in the end',
      gateway: (kind) => (kind === 'complete' ? 'upload_incomplete' : null),
      wrap: rendersOnce,
    },
  ],
  cs2_unavailable: [
    { what: 'a disk that is full amid the download', demo: randomBytes(2 * MEGABYTE), disk: MEGABYTE },
    { what: 'a disk that is full amid unpacking .gz', demo: gzipSync(Buffer.alloc(8 * MEGABYTE)), disk: MEGABYTE },
    { what: 'a disk that is full amid unpacking .bz2', demo: BOMB_BZ2, disk: MEGABYTE },
    { what: 'a disk with room for the demo, but not for what is read from it', disk: DEMO.length + MEGABYTE / 8 },
    { what: 'a disk that is full amid encoding', capture: NOISE, disk: DEMO.length + MEGABYTE },
    { what: 'an encoder that its driver crashes', encoder: 'head -c 9000000 >/dev/null; kill -SEGV $$' },
    {
      what: 'an encoder that was asked to end, and says so',
      encoder: 'head -c 9000000 >/dev/null; echo "Exiting normally, received signal 15." >&2; exit 255',
    },
    { what: 'a parser that is killed', demo: LONG_DEMO, wrap: endsParser('SIGKILL') },
    { what: 'a parser that is asked to end', demo: LONG_DEMO, wrap: endsParser('SIGTERM') },
    { what: 'files that vanish before unpacking', wrap: vanishesAt(0.12) },
    { what: 'files that vanish before unpacking .bz2', demo: BODY_BZ2, wrap: vanishesAt(0.12) },
    { what: 'files that vanish before parsing', wrap: vanishesAt(0.15) },
    { what: 'files that vanish amid parsing', demo: LONG_DEMO, wrap: vanishesAt(0.17) },
    { what: 'files that vanish before encoding', wrap: vanishesAt(0.25) },
    { what: 'files that vanish amid encoding', wrap: vanishesAt(0.5) },
    { what: 'files that vanish before the thumbnail', wrap: vanishesAt(0.98) },
    { what: 'an encoder that leaves nothing', encoder: 'cat >/dev/null' },
    { what: 'a video that vanishes before it is uploaded', wrap: losesFile('videoPath') },
    { what: 'a thumbnail that vanishes before it is uploaded', wrap: losesFile('thumbnailPath') },
    {
      what: 'drawing that gets no thread',
      capture: () => {
        throw Object.assign(new Error('no thread'), { code: 'ERR_WORKER_INIT_FAILED' });
      },
    },
    {
      what: 'a watermark that cannot be fetched',
      order: { watermarkImageId: '00000000-0000-4000-8000-000000000000' },
      gateway: (kind) => (kind === 'assets/watermark' ? 'unauthorized' : null),
    },
  ],
};
