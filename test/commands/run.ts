import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from './commands.ts';

/** Runs the short form of each command, or only of commands whose names contain one of the given words. */
const [words = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'tickreel-commands-'));
const failed: string[] = [];
const say = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  for (const [name, { short = [], env = {} }] of Object.entries(COMMANDS)) {
    for (const form of short) {
      if (!name.includes(words) && name !== 'write-demo') continue;
      const args = form.replaceAll('DIR', folder).split(' ').filter(Boolean);
      const command = name.endsWith('.ts') ? ['npx', 'node', name, ...args] : ['npm', 'run', '-s', name, '--', ...args];
      const [program = '', ...rest] = command;
      const begun = performance.now();
      const { status, stdout, stderr } = spawnSync(program, rest, {
        env: { ...process.env, ...env },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        maxBuffer: 1 << 28,
        timeout: 300_000,
      });
      const seconds = ((performance.now() - begun) / 1000).toFixed(0);
      say(`${status === 0 ? 'ok  ' : 'FAIL'} ${seconds} s  ${name} ${form}`);
      if (status === 0) continue;
      failed.push(name);
      say(`${stdout}\n${stderr}`.slice(-3000));
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failed.length === 0 ? 0 : 1;
