import { readFile } from 'node:fs/promises';
import type { Failure } from '#domain/failure/codes.ts';
import { isSystemError } from '../machine/program.ts';
import { endWithParent, sendAnswer } from '../machine/supervised-child.ts';
import type { DemoFault, ReadLimits } from './demo-view.ts';
import type { EventList } from './game-events.ts';
import { MatchTooLarge, writeMatchFile } from './match-file.ts';
import { type KnownEventLists, readMatch } from './read-match.ts';

/** The child's limits. `matchBytes` limits the match without its tracks. */
export interface ChildLimits extends ReadLimits {
  readonly matchBytes: number;
}

/** The answer of the parsing child. */
export type ParseEnd =
  /** `eventList`: the demo's own. */
  | { readonly type: 'done'; readonly eventList: EventList | null }
  /** An error of this machine, such as a full disk, not of the demo. */
  | { readonly type: 'machine_error'; readonly detail: string }
  | ({ readonly type: 'failed' } & Omit<Failure<DemoFault>, 'ok'>);

const PROGRESS_STEP = 0.02;

/**
 * The child process of `parseDemo`. argv: the demo to read, the file to write the match to, its
 * limits, and a file of event lists.
 */
async function main(demoPath: string, matchPath: string, limits: ChildLimits, listsPath: string): Promise<void> {
  let reported = 0;
  const onProgress = (tick: number, ticks: number): void => {
    const fraction = tick / ticks;
    if (fraction < reported + PROGRESS_STEP) return;
    reported = fraction;
    process.send?.({ fraction });
  };
  try {
    const known = JSON.parse(await readFile(listsPath, 'utf8')) as KnownEventLists;
    const result = await readMatch(demoPath, onProgress, limits, known);
    if (!result.ok) {
      const { ok: _, ...failed } = result;
      sendAnswer<ParseEnd>({ type: 'failed', ...failed });
    } else {
      await writeMatchFile(matchPath, result.match, limits.matchBytes);
      sendAnswer<ParseEnd>({ type: 'done', eventList: result.eventList ?? null });
    }
  } catch (error) {
    if (error instanceof MatchTooLarge) {
      sendAnswer<ParseEnd>({ type: 'failed', code: 'demo_failed_parse', detail: error.message });
    } else if (isSystemError(error)) sendAnswer<ParseEnd>({ type: 'machine_error', detail: error.message });
    else throw error;
  }
}

endWithParent();
const [demoPath = '', matchPath = '', limits = '', listsPath = ''] = process.argv.slice(2);
await main(demoPath, matchPath, JSON.parse(limits) as ChildLimits, listsPath);
