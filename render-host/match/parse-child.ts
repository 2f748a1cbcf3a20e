import type { Failure } from '../../domain/failure.ts';
import { isSystemError } from '../machine/system-error.ts';
import { writeMatchFile } from './match-file.ts';
import { readMatch } from './read-match.ts';
import type { DemoFault } from './rejected-demo.ts';

/** What the parsing child tells its parent. */
export type ParseMessage =
  | { readonly type: 'progress'; readonly fraction: number }
  | { readonly type: 'done' }
  /** This machine's trouble, such as a full disk, and not the demo's. */
  | { readonly type: 'trouble'; readonly detail: string }
  | ({ readonly type: 'failed' } & Omit<Failure<DemoFault>, 'ok'>);

const PROGRESS_STEP = 0.02;

/** The child process of `parseDemo`: argv is the demo to read and the file to leave the match in. */
async function main(demoPath: string, matchPath: string): Promise<void> {
  try {
    await readAndWrite(demoPath, matchPath);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    tell({ type: 'trouble', detail: error.message });
  }
  process.disconnect();
}

async function readAndWrite(demoPath: string, matchPath: string): Promise<void> {
  let reported = 0;
  const result = await readMatch(demoPath, (tick, ticks) => {
    const fraction = tick / ticks;
    if (fraction < reported + PROGRESS_STEP) return;
    reported = fraction;
    tell({ type: 'progress', fraction });
  });
  if (!result.ok) {
    tell({ type: 'failed', code: result.code, detail: result.detail });
  } else {
    await writeMatchFile(matchPath, result.match);
    tell({ type: 'done' });
  }
}

function tell(message: ParseMessage): void {
  process.send?.(message);
}

// A parent that is gone wants no match any more.
process.once('disconnect', () => process.exit());
const [demoPath = '', matchPath = ''] = process.argv.slice(2);
await main(demoPath, matchPath);
