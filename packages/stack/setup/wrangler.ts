import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { PROJECT_ROOT } from '../project-root.ts';

const PROGRAM = join(PROJECT_ROOT, 'node_modules/wrangler/bin/wrangler.js');

/** Wrangler with one configuration, for its logged-in user. */
export interface Wrangler {
  /** Returns a command's standard output. Rejects with an Error with all that wrangler wrote to standard error. */
  read(...args: readonly string[]): Promise<string>;
  /** The same, and also shows the output on standard error. The error does not repeat it. */
  show(...args: readonly string[]): Promise<string>;
}

/** Without standard input, wrangler neither prompts nor edits a configuration. */
export function createWrangler(config: string): Wrangler {
  const run = (args: readonly string[], isShown: boolean) =>
    new Promise<string>((resolve, reject) => {
      const child = spawn(process.execPath, [PROGRAM, ...args, '--config', config], {
        cwd: PROJECT_ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk) => {
        out += chunk;
        if (isShown) process.stderr.write(chunk);
      });
      child.stderr.on('data', (chunk) => {
        err += chunk;
        if (isShown) process.stderr.write(chunk);
      });
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve(out);
        else reject(new Error(isShown ? `wrangler ${args.join(' ')} failed, as above` : errorOf(out, err)));
      });
    });
  return { read: (...args) => run(args, false), show: (...args) => run(args, true) };
}

/** With `--json` the error is on standard output. */
function errorOf(stdout: string, stderr: string): string {
  const text = stripVTControlCharacters(
    stderr.trim() === '' || /^\s*\{/.test(stdout) ? stdout + stderr : stderr,
  ).trim();
  const isLoggedOut = /necessary to set a CLOUDFLARE_API_TOKEN|Not logged in/.test(text);
  return `${isLoggedOut ? 'nobody is logged in: npx wrangler login\n' : ''}${text || 'wrangler failed'}`;
}
