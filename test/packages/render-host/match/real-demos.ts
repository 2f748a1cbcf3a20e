import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.DEMOS_DIR ?? join(import.meta.dirname, '../../../../../shared/demos');

/** Demos recorded by the game. They are not part of the repository: set DEMOS_DIR to a folder that has them. */
export const haveRealDemos = existsSync(join(folder, '14090.dem'));
if (!haveRealDemos) process.stdout.write(`no recorded demos in ${folder} (DEMOS_DIR): their tests are skipped\n`);

export function realDemo(name: string): string {
  return join(folder, name);
}
