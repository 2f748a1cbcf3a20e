import type { Failure } from '#domain/failure.ts';
import { isSystemError } from '../machine/system-error.ts';
import type { ReadLimits } from './demo-extent.ts';
import { MatchTooLarge, writeMatchFile } from './match-file.ts';
import { readMatch } from './read-match.ts';
import type { DemoFault } from './rejected-demo.ts';

/** The child's limits. `matchBytes` limits the match without its tracks. */
export interface ChildLimits extends ReadLimits {
  readonly matchBytes: number;
}

/** The messages of the parsing child to its parent. */
export type ParseMessage =
  | { readonly type: 'progress'; readonly fraction: number }
  | { readonly type: 'done' }
  /** An error of this machine, such as a full disk, not of the demo. */
  | { readonly type: 'machine_error'; readonly detail: string }
  | ({ readonly type: 'failed' } & Omit<Failure<DemoFault>, 'ok'>);

const PROGRESS_STEP = 0.02;

/** The child process of `parseDemo`. argv: the demo to read, the file to write the match to, and its limits. */
async function main(demoPath: string, matchPath: string, limits: ChildLimits): Promise<void> {
  try {
    await readAndWrite(demoPath, matchPath, limits);
  } catch (error) {
    if (error instanceof MatchTooLarge) send({ type: 'failed', code: 'demo_failed_parse', detail: error.message });
    else if (isSystemError(error)) send({ type: 'machine_error', detail: error.message });
    else throw error;
  }
  process.disconnect();
}

async function readAndWrite(demoPath: string, matchPath: string, limits: ChildLimits): Promise<void> {
  let reported = 0;
  const onProgress = (tick: number, ticks: number): void => {
    const fraction = tick / ticks;
    if (fraction < reported + PROGRESS_STEP) return;
    reported = fraction;
    send({ type: 'progress', fraction });
  };
  const result = await readMatch(demoPath, onProgress, limits);
  if (!result.ok) {
    const { code, detail, facts } = result;
    send({ type: 'failed', code, detail, ...(facts ? { facts } : {}) });
  } else {
    await writeMatchFile(matchPath, result.match, limits.matchBytes);
    send({ type: 'done' });
  }
}

function send(message: ParseMessage): void {
  process.send?.(message);
}

// Without its parent the child ends.
process.once('disconnect', () => process.exit());
const [demoPath = '', matchPath = '', limits = ''] = process.argv.slice(2);
await main(demoPath, matchPath, JSON.parse(limits) as ChildLimits);
