import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Command } from 'commander';
import { pino } from 'pino';
import { decimal } from '#client/cli/operation-commands.ts';
import { createTickreel } from '#client/index.ts';
import { sleep } from '#client/sleep.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { Tag } from '#protocol/demo/uploads.ts';
import { createReceiver, openRelayState, runRelay } from './run-relay.ts';

const program = new Command('tickreel-relay')
  .description('Sends the demos in a folder to a Tickreel service, in parts. TICKREEL_URL is its address.')
  .argument('<dir>', 'the folder; the demos stay there')
  .option('--listen <[address:]port>', 'take uploads of MatchZy and get5, too; at 127.0.0.1 without an address')
  .option('--key-file <file>', 'has an API key, and only its owner can read it; or TICKREEL_API_KEY')
  .option('--tag <tag>', 'your word for where the demos come from', (tag) => Tag.parse(tag))
  .option('--rest <seconds>', 'send a whole demo when it has not changed for so long', decimal, 60)
  .option('--state <file>', 'what was sent; default: .tickreel-relay.json in the folder')
  .option('--once', 'send what is whole, and end', false)
  .action(async (dir, { listen, keyFile, tag, rest, state: file, once: isOnce }) => {
    const log = pino({ name: 'relay', level: process.env.LOG_LEVEL || 'info' }, pino.destination(2));
    const { uploads } = createTickreel({ apiKey: readKey(keyFile) });
    const path = file ?? join(dir, '.tickreel-relay.json');
    const lock = lockState(path);
    const state = openRelayState(path, log);
    const server = createReceiver({ dir, state, log });
    if (listen !== undefined) {
      const [port, address = '127.0.0.1'] = listen.split(/:(?=\d+$)/).reverse();
      await once(server.listen(Number(port), address.replace(/[[\]]/g, '')), 'listening');
      log.info(server.address(), 'listening');
    }
    const leave = new AbortController();
    // A second signal ends the process at once. The next start continues with the files on the disk.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => leave.abort());
    const demos = { dir, state, uploads, tag, restMs: Math.max(100, rest * 1000), isOnce };
    const timers = { now: () => performance.timeOrigin + performance.now(), random: Math.random, wait: sleep };
    if (!(await runRelay({ ...demos, ...timers, log, signal: leave.signal }))) process.exitCode = 1;
    if (server.listening) await once(server.close(), 'close');
    lock.close();
  });

/** Locks a state file. The operating system keeps the lock, through SQLite, until this process ends. */
function lockState(path: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    throw new Error(`${path} cannot be locked (${reasonOf(error)}); another relay may use it.`);
  }
}

/** Returns the key of a private file or of the environment. */
function readKey(path: string | undefined): string {
  if (path && (statSync(path).mode & 0o077) !== 0) throw new Error(`Others can read ${path}: chmod 600 it.`);
  const key = (path ? readFileSync(path, 'utf8') : (process.env.TICKREEL_API_KEY ?? '')).trim();
  // The HTTP client would log a key that it cannot send.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('There is no key: give --key-file, or set TICKREEL_API_KEY.');
  return key;
}

await program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exit(1);
});
