import { type FileHandle, open } from 'node:fs/promises';
import { DEMO_COMMAND, PREAMBLE_BYTES } from '#demo-format/container.ts';
import { fileKind, HEAD_BYTES, isCrLf, SAMPLE_BYTES, WRONG_FILES, wrongFile } from '#domain/file-kind.ts';
import type { TickSpan } from '#domain/plan/plannable-match.ts';
import { type FramesEnd, walkFrames } from '../source2/frames.ts';
import type { Damage } from './match.ts';
import { RejectedDemo } from './rejected-demo.ts';

/**
 * Ticks. A longer distance between packets is a gap: the recording paused, or the server skipped ahead. Some servers
 * record every second or fourth tick.
 */
const LARGEST_STEP = 64;
/** The most gaps of a recording. Each is a cut in a clip that crosses it. The demo is read up to the next one. */
const MOST_GAPS = 1000;

/** What may be read of a demo. It has limits because a few bytes can claim any number. */
export interface ReadLimits {
  /** Bytes of one frame, stored and unpacked. */
  readonly frameBytes: number;
  /** Ticks of all gaps together. The demo is read up to the gap that exceeds them. */
  readonly gapTicks: number;
}

type DamagedEnd = Extract<FramesEnd, { kind: 'damage' }>;

/** The ticks that a recording covers, by its frames. */
export interface DemoExtent {
  readonly firstTick: number;
  readonly lastTick: number;
  /**
   * Whether the recording has its end mark. Without it (a server was shut down) it is good up to its last complete
   * frame.
   */
  readonly complete: boolean;
  /** Left out for a recording without damage, with an end mark or without. */
  readonly damage?: Damage;
  /** The bytes of the file before the damage; without damage, of the whole. */
  readonly size: number;
  /** Gaps of the recording. */
  readonly gaps: readonly TickSpan[];
}

/**
 * Walks the frames of a demo file without reading their content. This is cheap compared to the parse, which allocates
 * memory by its result. Frames after a damaged one are ignored.
 *
 * @param known damage that only a parse can find.
 * @throws {RejectedDemo} `demo_incompatible` for a Source 1 (CS:GO) demo, else `demo_failed_parse`.
 */
export async function readDemoExtent(
  path: string,
  { frameBytes, gapTicks }: ReadLimits,
  known: DamagedEnd | null = null,
): Promise<DemoExtent> {
  await withFile(path, checkMagic);
  const gaps: TickSpan[] = [];
  let firstTick: number | null = null;
  let lastTick = 0;
  let skipped = 0;
  const size = known?.at ?? Infinity;
  const walked = await walkFrames(path, { payloads: false, frameBytes, size }, ({ command, tick }) => {
    if ((command !== DEMO_COMMAND.packet && command !== DEMO_COMMAND.fullPacket) || tick < 0) return;
    if (firstTick !== null && tick > lastTick + LARGEST_STEP) {
      skipped += tick - lastTick;
      if (skipped > gapTicks) throw new Error(`it jumps over ${skipped} ticks, more than the ${gapTicks} accepted`);
      if (gaps.length >= MOST_GAPS) throw new Error(`it jumps over ticks more than ${MOST_GAPS} times`);
      gaps.push({ startTick: lastTick + 1, endTick: tick });
    }
    firstTick ??= tick;
    lastTick = Math.max(lastTick, tick);
  });
  const end = known ?? walked;
  if (firstTick === null || lastTick <= firstTick) {
    const kinds = { stop: 'holds no recorded ticks', cut: 'is cut off before its first tick' };
    const what = end.kind === 'damage' ? `is damaged before its first tick: ${end.reason}` : kinds[end.kind];
    throw new RejectedDemo('demo_failed_parse', `the demo ${what}`);
  }
  const extent = { firstTick, lastTick, complete: end.kind === 'stop', gaps, size };
  if (end.kind !== 'damage') return extent;
  return { ...extent, size: end.at, damage: { tick: lastTick, reason: end.reason } };
}

async function withFile(path: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'r');
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

async function checkMagic(file: FileHandle): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
  const start = buffer.subarray(0, bytesRead);
  const head = start.toString('hex', 0, HEAD_BYTES);
  const kind = fileKind(head);
  if (kind === 'csgo-demo') {
    const detail = 'a Source 1 demo (CS:GO), not one of Counter-Strike 2';
    throw new RejectedDemo('demo_incompatible', detail, { game: 'CS:GO' });
  }
  const found = kind === 'demo' && isCrLf(start) ? 'crlf' : wrongFile(head);
  if (found !== null) throw new RejectedDemo('demo_failed_parse', `it is ${WRONG_FILES[found]}`, { found });
  if (bytesRead < PREAMBLE_BYTES)
    throw new RejectedDemo('demo_failed_parse', `the file is only ${bytesRead} bytes long`);
  if (kind !== 'demo') throw new RejectedDemo('demo_failed_parse', 'not a demo file: unknown magic bytes');
}
