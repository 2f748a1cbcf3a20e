import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { PROJECT_ROOT } from '../project-root.ts';
import { faultsOf } from './cloudflare.ts';

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
  const run = async (args: readonly string[], isShown: boolean) => {
    const { code, out, err } = await spawnOnce([...args, '--config', config], isShown);
    if (code === 0) return out;
    if (!err.includes('Some triggers failed')) {
      throw new Error(isShown ? `wrangler ${args[0]} failed, as above` : errorOf(out, err));
    }
    // Wrangler 4.116.0 prints which triggers failed, but not why. Only its debug output of a second try has that.
    const again = await spawnOnce(['triggers', 'deploy', '--config', config], false, DEBUG);
    if (again.code === 0) return out;
    const answers = [...again.out.matchAll(/^RESPONSE: (.*?)\n-- END CF API RESPONSE/gms)];
    throw new Error([errorOf('', again.err), ...answers.flatMap(([, answer = '']) => faultsOf(answer))].join('\n'));
  };
  return { read: (...args) => run(args, false), show: (...args) => run(args, true) };
}

const DEBUG = { WRANGLER_LOG: 'debug', WRANGLER_LOG_SANITIZE: 'false' };

async function spawnOnce(args: readonly string[], isShown: boolean, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: PROJECT_ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
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
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  return { code, out, err };
}

/** With `--json` the error is on standard output. */
function errorOf(stdout: string, stderr: string): string {
  const both = /^\s*\{/.test(stdout) ? stdout + stderr : stderr;
  const text = stripVTControlCharacters(both.replace(/^(?:.*Logs were written to .*|[ \t]+at .*\))$/gm, '')).trim();
  const isLoggedOut = /necessary to set a CLOUDFLARE_API_TOKEN|Not logged in/.test(text);
  return `${isLoggedOut ? 'nobody is logged in: npx wrangler login\n' : ''}${text || 'wrangler failed'}`;
}
