import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { PROJECT_ROOT } from '../project-root.ts';

const PROGRAM = join(PROJECT_ROOT, 'node_modules/wrangler/bin/wrangler.js');

/** Wrangler with one configuration, for its logged-in user. */
export interface Wrangler {
  /** Returns a command's standard output. Rejects with an Error with wrangler's message. */
  read(...args: readonly string[]): Promise<string>;
  /** The same, and also shows the output on standard error. */
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
        else reject(new Error(errorOf(out, err)));
      });
    });
  return { read: (...args) => run(args, false), show: (...args) => run(args, true) };
}

/** With `--json` the error is JSON too. Otherwise it is the lines marked as errors, and the platform's answer. */
function errorOf(stdout: string, stderr: string): string {
  const text = stripVTControlCharacters(`${stdout}\n${stderr}`);
  if (/necessary to set a CLOUDFLARE_API_TOKEN/.test(text)) return 'nobody is logged in: npx wrangler login';
  const [, json] = /"(?:text|message)": "([^"]+)"/.exec(text) ?? [];
  const lines = [...text.matchAll(/\[ERROR\] (.+)|^\s+(.+\[code: \d+\])$/gm)].map(([, line, note]) => line ?? note);
  return json ?? (lines.slice(0, 3).join(' ') || 'wrangler failed');
}
