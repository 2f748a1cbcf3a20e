import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { slowKills } from '#domain/clip/plan/plan-selection.ts';
import { sizeOf } from '#domain/clip/render-order.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { playerAt } from '#scene/match/player-state.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { Capture, CaptureResult } from './capture/capture.ts';
import { createCs2Capture } from './capture/cs2/cs2-capture.ts';
import { type KillfeedVerdict, type KillfeedWatch, watchKillfeed } from './capture/cs2/recording/watch-killfeed.ts';
import { createRadarCapture } from './capture/radar/radar-capture.ts';
import type { HostConfig } from './config/host-config.ts';
import { type Finding, fail, ok } from './doctor/check-machine.ts';
import { type EncodeResult, encodeClip } from './encode/encode-clip.ts';
import { type Ffmpeg, findFfmpeg } from './encode/ffmpeg.ts';
import type { FrameSource } from './frames/frame-source.ts';
import { findHighlights } from './match/highlights.ts';
import type { Match } from './match/match.ts';
import { parseDemo } from './match/parse-demo.ts';
import { plannableMatch } from './plan/plan-shots.ts';
import { unpackSample } from './sample-demo.ts';
import { finishSound } from './sound/finish-sound.ts';
import { createStoryboard } from './thumbnail/storyboard.ts';

const CHECK = 'test clip';
const SECONDS = 4;
/** The part of them after the last kill. */
const AFTER_KILL = 2;
export const FPS = 30;
const GUIDE = 'see docs/gpu-host.md';

export interface TestClipInput {
  readonly workDir: string;
  readonly ffmpeg: Ffmpeg;
  readonly capture: Capture;
  /** Null to use the sample demo. */
  readonly demoPath: string | null;
  readonly height: number;
  readonly signal: AbortSignal;
  /** Whether the game draws its killfeed, which is then judged. Otherwise ours is drawn, which is not. */
  readonly killfeed?: boolean;
}

/** Makes a test clip like a clip of a job, and returns the result. */
export async function recordTestClip(
  config: HostConfig,
  environment: NodeJS.ProcessEnv,
  demoPath: string | null,
): Promise<Finding> {
  const { workDir, cs2, radar } = config;
  const folder = join(workDir, 'doctor');
  const log = pino({ name: 'doctor', level: config.logLevel }, pino.destination(2));
  let ffmpeg: Ffmpeg;
  try {
    ffmpeg = await findFfmpeg(environment, { isMaintained: cs2 !== null });
  } catch (error) {
    return fail(CHECK, reasonOf(error), 'fix the encoder first');
  }
  const game = cs2 === null ? null : createCs2Capture({ settings: cs2, ffmpeg, folder, log });
  const capture = game?.capture ?? createRadarCapture(radar);
  const signal = new AbortController().signal;
  try {
    const killfeed = game !== null;
    return await makeTestClip({ workDir, ffmpeg, capture, demoPath, height: 1080, signal, killfeed });
  } finally {
    await game?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes a clip of a few seconds and leaves it in the work folder. Returns what failed, if anything. */
export async function makeTestClip(input: TestClipInput): Promise<Finding> {
  const { workDir, signal, killfeed = false } = input;
  await mkdir(workDir, { recursive: true });
  const folder = await mkdtemp(join(workDir, 'doctor-'));
  const began = performance.now();
  try {
    const demoPath = input.demoPath ?? join(folder, 'sample.dem');
    if (input.demoPath === null) await unpackSample(demoPath);
    const parsed = await parseDemo({ demoPath, workDir: folder, signal });
    if (!parsed.ok) return fail(CHECK, `${parsed.code}: ${parsed.detail}`, 'name another demo: --record FILE');
    const { match } = parsed;
    const shot = goodShots(match)[0] ?? walkingShot(match);
    if (shot === null)
      return fail(CHECK, `no player walks for ${SECONDS} seconds in a row`, 'name another demo: --record FILE');
    const outPath = join(workDir, 'doctor.mp4');
    const clip = await recordClip({ ...input, match, shot, demoPath, workDir: folder, outPath, killfeed });
    if (!clip.ok) return fail(CHECK, `${clip.code}: ${clip.detail}`, `read the log above, and ${GUIDE}`);
    const { killfeed: notices } = clip;
    const fault = clip.fault ?? (notices === 'missing' ? NO_NOTICE : null);
    if (fault !== null) return fail(CHECK, fault, `watch ${outPath}, and ${GUIDE}`);
    const took = ((performance.now() - began) / 1000).toFixed(1);
    const who = match.players[shot.pov]?.name ?? '';
    const seen = notices === undefined ? '' : `, killfeed ${notices}`;
    return ok(CHECK, `${clip.frames} frames of ${who} in ${took} s${seen}: watch ${outPath}`);
  } catch (error) {
    return fail(CHECK, reasonOf(error), `read the log above, and ${GUIDE}`);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

export interface ShotClipInput extends Omit<TestClipInput, 'demoPath'> {
  readonly match: Match;
  readonly shot: Shot;
  readonly demoPath: string;
  readonly outPath: string;
}

type NoClip = Extract<CaptureResult | EncodeResult, { readonly ok: false }>;

interface ShotClip extends Extract<EncodeResult, { readonly ok: true }> {
  /** What is wrong with its frames, or null. */
  readonly fault: string | null;
  readonly killfeed: KillfeedVerdict | undefined;
  /** A JPEG of some of its frames. */
  readonly sheet: Uint8Array;
  readonly soundPath: string;
}

/** Makes a clip of a shot, as for a job. Returns the failure if that fails. */
export async function recordClip(input: ShotClipInput): Promise<ShotClip | NoClip> {
  const { ffmpeg, capture, match, shot, demoPath, outPath, height, signal, killfeed = false } = input;
  const workDir = await mkdtemp(join(input.workDir, 'footage-'));
  const own = { ownKillfeed: !killfeed, damageTicker: !killfeed };
  const options = { ...sizeOf(height), fps: FPS, xray: false, onlyDeathnotices: true, ...own };
  const quiet = { signal, onProgress: () => {} };
  const captured = await capture({ match, shots: [shot], options, demoPath, workDir, ...quiet });
  if (!captured.ok) return captured;
  // The watch expects normal speed.
  const watch = killfeed && shot.speeds.length === 0 ? () => watchKillfeed({ match, shot, ...options }) : null;
  const look = watchFrames(captured.source, options.width, watch);
  const { source, finish } = createStoryboard(look.source, options);
  const parts = { sound: captured.sound, music: null, before: 0, seconds: source.frameCount / FPS };
  const sound = await finishSound({ ffmpeg, ...parts, workDir, signal });
  const encoded = await encodeClip({ ffmpeg, source, sound, ...options, outPath, signal });
  if (!encoded.ok) return encoded;
  const seen = { fault: look.fault(), killfeed: look.killfeed(), sheet: (await finish()).jpeg };
  return { ...encoded, ...seen, soundPath: captured.sound?.[0]?.path ?? '' };
}

const NO_NOTICE = 'the player’s kills do not show in the killfeed at the top right';

/** Returns the last seconds of each highlight that a recorder has time for, the best first. */
function goodShots(match: Match): Shot[] {
  const { firstTick, lastTick, tickRate } = match;
  return findHighlights(match).flatMap(({ player: pov, endTick: lastKill, round, kills: all }) => {
    const endTick = lastKill + AFTER_KILL * tickRate;
    const startTick = endTick - SECONDS * tickRate;
    // A recorder needs playback before and after a shot.
    const hasRoom = startTick - firstTick > SECONDS * tickRate && lastTick - endTick > tickRate;
    const lives = [startTick, endTick].every((tick) => playerAt(match, pov, tick)?.alive);
    const kills = all.filter(({ tick }) => tick >= startTick);
    return hasRoom && lives ? [{ pov, subject: pov, startTick, endTick, round, kills, speeds: [] }] : [];
  });
}

/**
 * Returns up to four shots: the best, one of another player before it, one in slow motion, and a victim's view. It
 * leaves out the signed-in account, which the game does not show.
 */
export function trialShots(match: Match, account: string | null): Shot[] {
  const canShow = (pov: number): boolean =>
    match.players[pov]?.steamId !== account && (match.recorder === null || pov === match.recorder);
  const all = goodShots(match).filter(({ pov }) => canShow(pov));
  const best = all[0] ?? walkingShot(match);
  const kill = best?.kills.at(-1);
  if (best === null || kill === undefined) return best === null ? [] : [best];
  const others = all.filter(({ pov }) => pov !== best.pov);
  const other = others.find(({ endTick }) => endTick < best.startTick) ?? others[0] ?? all[1];
  const slow = { ...best, speeds: slowKills(plannableMatch(match), best, 0.25).speeds };
  const span = { startTick: kill.tick - (SECONDS - 1) * match.tickRate, endTick: kill.tick + match.tickRate };
  const victim = { ...best, ...span, pov: kill.victim, kills: [kill] };
  const isShown = canShow(victim.pov) && playerAt(match, victim.pov, victim.startTick)?.alive;
  return [best, ...(other === undefined ? [] : [other]), slow, ...(isShown ? [victim] : [])];
}

/** Returns a shot, from the middle of the demo on, of a player who walks and is alive at its start and end. */
function walkingShot(match: Match): Shot | null {
  const { lastTick, tickRate, players } = match;
  const ticks = SECONDS * tickRate;
  for (let startTick = Math.floor(lastTick / 2); startTick + 2 * ticks < lastTick; startTick += tickRate) {
    const pov = players.findIndex((_, player) => walks(match, player, startTick, startTick + ticks));
    if (pov >= 0) return { pov, subject: pov, startTick, endTick: startTick + ticks, round: 1, kills: [], speeds: [] };
  }
  return null;
}

const FAR = 100;

function walks(match: Match, player: number, from: number, to: number): boolean {
  const [first, last] = [playerAt(match, player, from), playerAt(match, player, to)];
  if (!first?.alive || !last?.alive) return false;
  return Math.hypot(last.x - first.x, last.y - first.y) > FAR;
}

/** A brightness of 255. A frame with only darker pixels is black. */
const BLACK = 6;
/** The step of the checked pixels of a frame. */
const EVERY = 997;

/**
 * Checks the frames of a source: whether all are black, or all the same, and its killfeed. An encoder that fails is
 * replaced by another, which reads them again from the start.
 */
function watchFrames(source: FrameSource, width: number, watch: (() => KillfeedWatch) | null) {
  let before: readonly number[] = [];
  let seen = { frames: 0, black: 0, moved: 0 };
  let feed = watch?.();
  const look = (frame: Uint8Array): void => {
    const pixels: number[] = [];
    for (let at = 0; at < frame.length; at += 4 * Math.min(EVERY, width - 1)) pixels.push(frame[at + 1] ?? 0);
    seen.frames++;
    if (Math.max(...pixels) < BLACK) seen.black++;
    if (pixels.some((pixel, i) => Math.abs(pixel - (before[i] ?? pixel)) > BLACK)) seen.moved++;
    before = pixels;
  };
  const passing: FrameSource = {
    ...source,
    async *frames(signal) {
      [before, seen, feed] = [[], { frames: 0, black: 0, moved: 0 }, watch?.()];
      for await (const frame of source.frames(signal)) {
        feed?.look(frame, seen.frames);
        look(frame);
        yield frame;
      }
    },
  };
  const fault = (): string | null => {
    if (seen.black > 0) return `${seen.black} of ${seen.frames} frames are black`;
    return seen.moved < seen.frames / 4 ? `${seen.moved} of ${seen.frames} frames differ from the one before` : null;
  };
  return { source: passing, fault, killfeed: () => feed?.verdict() };
}
