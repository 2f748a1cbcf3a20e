import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failure } from '#domain/failure/codes.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { MachineError } from '../machine/program.ts';
import { superviseChild } from '../machine/supervised-child.ts';
import type { KeptEventLists } from './game-events.ts';
import type { Match } from './match.ts';
import { readMatchFile } from './match-file.ts';
import type { ChildLimits, ParseEnd } from './parse-child.ts';
import { type MatchResult, READ_LIMITS } from './read-match.ts';

export interface ParseOptions {
  /** The decompressed demo. */
  readonly demoPath: string;
  /** An existing folder for the child's output. Nothing but `matchPath` is left in it. */
  readonly workDir: string;
  /** Where the match's file stays, for `readMatchFile`; without it the file is deleted. */
  readonly matchPath?: string;
  /** Event lists of other demos; without them a demo needs its own. */
  readonly eventLists?: KeptEventLists | null;
  /** The account of the demo, as an opaque word; null or absent if the gateway gives none. */
  readonly account?: string | null;
  readonly signal: AbortSignal;
  /** The parsed fraction, 0 to 1, ascending. */
  readonly onProgress?: (fraction: number) => void;
  readonly limits?: Partial<ParseLimits>;
}

export interface ParseLimits extends ChildLimits {
  /** All memory of the child in megabytes. Half of it is for its JavaScript heap. */
  readonly memoryMegabytes: number;
  /**
   * The longest parse in milliseconds. A match of 30 rounds takes some ten seconds; slow, busy cores get a wide margin.
   */
  readonly timeoutMs: number;
}

const MEGABYTE = 1024 ** 2;
/** The events of the longest match take some five megabytes. 32 are read in a third of a second. */
const DEFAULT_LIMITS: ParseLimits = {
  ...READ_LIMITS,
  matchBytes: 32 * MEGABYTE,
  memoryMegabytes: 2048,
  timeoutMs: 300_000,
};
/** Code points of an error's detail, because some quote the recording. */
const DETAIL_LENGTH_AT_MOST = 500;

/**
 * Reads a demo into a `Match` in a child process. A file that crashes the parser, exhausts its memory or never ends
 * costs only that child, within its memory limit. All of these are `demo_failed_parse`, because the same file would do
 * the same again. A child that is killed from outside, as the system does without memory, is not the demo's fault.
 *
 * The child gets no environment, so no credentials of the host.
 *
 * @throws the signal's reason if aborted; a `MachineError` or a system error if the child cannot be started or is
 * killed, or the match cannot be written or read.
 */
export async function parseDemo(options: ParseOptions): Promise<MatchResult> {
  const { demoPath, workDir, signal, onProgress = () => {}, eventLists = null, account = null } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  signal.throwIfAborted();
  const folder = await mkdtemp(join(workDir, 'parse-'));
  try {
    const matchPath = join(folder, 'match.bin');
    const { frameBytes, gapTicks, matchBytes } = limits;
    const childLimits: ChildLimits = { frameBytes, gapTicks, matchBytes };
    const listsPath = join(folder, 'event-lists.json');
    await writeFile(listsPath, JSON.stringify((await eventLists?.known(account)) ?? {}));
    const end = await superviseChild<ParseEnd>({
      module: new URL('./parse-child.ts', import.meta.url),
      args: [demoPath, matchPath, JSON.stringify(childLimits), listsPath],
      what: 'parsing',
      memoryMegabytes: limits.memoryMegabytes,
      timeoutMs: limits.timeoutMs,
      signal,
      onProgress,
    });
    signal.throwIfAborted();
    if (end.type === 'machine_error' || (end.type === 'died' && end.isMachineError)) {
      throw new MachineError(`the demo could not be parsed here: ${end.detail}`);
    }
    if (end.type === 'done') {
      const match = await readBack(matchPath);
      const build = match.build ?? (match.gamePatch && `patch-${match.gamePatch}`);
      if (build && end.eventList !== null) await eventLists?.add(`${build}`, account, end.eventList);
      if (options.matchPath !== undefined) await rename(matchPath, options.matchPath);
      return { ok: true, match };
    }
    const detail = [...end.detail].slice(0, DETAIL_LENGTH_AT_MOST).join('');
    return end.type === 'died' ? failure('demo_failed_parse', detail) : failure(end.code, detail, end.facts);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readBack(matchPath: string): Promise<Match> {
  try {
    return await readMatchFile(matchPath);
  } catch (error) {
    throw new MachineError(`the match could not be read back: ${reasonOf(error)}`);
  }
}
