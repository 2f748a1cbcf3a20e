import type { RequestListener } from 'node:http';
import { composeMatch, encodeDemo, type MatchOutline, type RecordingOptions } from '#demo-writer/index.ts';
import type { RenderOrder, Selection } from '#domain/render-order.ts';
import type { Grant } from '#protocol/gateway.ts';
import type { Capture } from '#render-host/capture/capture.ts';
import type { FrameSource } from '#render-host/frames/frame-source.ts';
import type { RenderClip, RenderClipDependencies } from '#render-host/pipeline/render-clip.ts';
import { PLAIN_KILLS } from '#test/support/plain-order.ts';
import type { Misbehaviour } from '../agent/fake-gateway.ts';

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

export function demoOf(outline: MatchOutline, recording: RecordingOptions = {}): Buffer {
  return Buffer.from(encodeDemo(composeMatch(outline), recording));
}

export function killsOf(steam64Id: string, round: number | null = null): Selection {
  return { ...PLAIN_KILLS, steam64Id, round, preKillPadding: 1, postKillPadding: 1 };
}

/** Returns a timeline of one segment of 64 ticks for each start. */
export function timelineOf(steam64Id: string, ...starts: readonly number[]): Selection {
  return {
    ...{ mode: 'timeline', killSlowdown: null },
    segments: starts.map((startTick) => ({ steam64Id, startTick, endTick: startTick + 64, speed: 1 })),
  };
}

/** Five frames of one grey, or of noise, which does not compress. `frame` is for the thumbnail. */
export function plainCapture(paint: (pixels: Uint8Array) => void, frame?: () => Promise<Uint8Array>): Capture {
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
export const NOISE = plainCapture((pixels) => {
  const words = new Uint32Array(pixels.buffer);
  let state = 0x9e3779b9;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
});
