import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { pino } from 'pino';
import { decimal } from '#client/cli/operation-commands.ts';
import { createTickreel } from '#client/index.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { Tag } from '#protocol/demo/uploads.ts';
import { createReceiver, openRelayState, runRelay } from './run-relay.ts';

/** After SIGTERM a demo that is being received has so much time. */
const RECEIVING_MS = 20_000;

const program = new Command('tickreel-relay')
  .description('Sends the demos in a folder to a Tickreel service, in parts. TICKREEL_URL is its address.')
  .argument('<dir>', 'the folder; the demos stay there')
  .option('--listen <[address:]port>', 'take uploads of MatchZy and get5, too; at 127.0.0.1 without an address')
  .option('--key-file <file>', 'has an API key, and only its owner can read it; or TICKREEL_API_KEY')
  .option('--tag <tag>', 'your word for where the demos come from', (tag) => Tag.parse(tag))
  .option(
    '--rest <seconds>',
    'send a demo with its end, or an archive, when it has not changed for so long',
    decimal,
    60,
  )
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
    const onSignal = (signal: string) => {
      leave.abort();
      setTimeout(() => server.closeAllConnections(), signal === 'SIGTERM' ? RECEIVING_MS : 0).unref();
    };
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
    const demos = { dir, state, uploads, tag, restMs: Math.max(100, rest * 1000), isOnce };
    const timers = {
      now: () => performance.timeOrigin + performance.now(),
      random: Math.random,
      wait: (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }),
    };
    if (!(await runRelay({ ...demos, ...timers, log, signal: leave.signal }))) process.exitCode = 1;
    if (server.listening) await once(server.close(), 'close');
    lock.close();
  });

/**
 * Locks a state file for this process. The operating system keeps the lock, through SQLite, and releases it however the
 * process ends.
 */
function lockState(path: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
    // Nothing is written, so no journal is needed.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    const cause = 'another relay uses it, or its folder is not writable';
    throw new Error(`${path} cannot be locked (${reasonOf(error)}): ${cause}.`);
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
