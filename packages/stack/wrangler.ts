import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import { PROJECT_ROOT } from './migrate.ts';

const PROGRAM = join(PROJECT_ROOT, 'node_modules/wrangler/bin/wrangler.js');

const Secrets = z.array(z.looseObject({ name: z.string() }));

/** Wrangler with one configuration, for its logged-in user. */
export interface Wrangler {
  /** Returns a command's standard output. Rejects with an Error with all that wrangler wrote to standard error. */
  read(...args: readonly string[]): Promise<string>;
  /** The same, for a command that prints JSON. */
  json<T>(shape: z.ZodType<T>, ...args: readonly string[]): Promise<T>;
  /** Returns the names of the Worker's secrets. */
  secrets(): Promise<string[]>;
}

/** Without standard input, wrangler neither prompts nor edits a configuration. */
export function createWrangler(config: string): Wrangler {
  async function run(...args: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [PROGRAM, ...args, '--config', config], {
      cwd: PROJECT_ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (code === 0) return out;
    throw new Error(`wrangler ${args.join(' ')} failed: ${errorOf(out, err)}`);
  }
  const json: Wrangler['json'] = async (shape, ...args) => shape.parse(JSON.parse(await run(...args)));
  const secrets = async () => (await json(Secrets, 'secret', 'list')).map(({ name }) => name);
  return { read: run, json, secrets };
}

/** With `--json` the error is on standard output. */
function errorOf(stdout: string, stderr: string): string {
  const both = /^\s*\{/.test(stdout) ? stdout + stderr : stderr;
  const shown = stripVTControlCharacters(both.replace(/^(?:.*Logs were written to .*|[ \t]+at .*\))$/gm, '')).trim();
  if (/necessary to set a CLOUDFLARE_API_TOKEN|Not logged in|"loggedIn": false/.test(shown)) {
    return `nobody is logged in: npx wrangler login\n${shown}`;
  }
  // Wrangler 4.116.0 prints which domain or cron was refused, but not why.
  const isTrigger = shown.includes('Some triggers failed');
  return `${shown}${isTrigger ? '\nThe debug output of `wrangler triggers deploy` has the reason: docs/deploy.md' : ''}`;
}
