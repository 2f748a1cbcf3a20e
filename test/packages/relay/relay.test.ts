import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { createReceiver, openRelayState, runRelay } from '#relay/run-relay.ts';
import { isWholeDemo } from '#relay/whole-demo.ts';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { haveRealDemos, realDemo } from '../render-host/match/real-demos.ts';
import { type Instead, PART, refuse, serveUploads } from './upload-service.ts';

let root: string;
let dir: string;
/** The state file. */
let path: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'relay-'));
  onTestFinished(() => rm(root, { recursive: true }));
  dir = join(root, 'demos');
  path = join(root, 'state.json');
  await mkdir(dir);
});

let made = 0;
/** What the game writes at the end of a recording of 185 ticks: a stop, spawn groups, and 11 bytes of file info. */
const END = Buffer.from(`00b901000fb9010002b9010b${'0d'.repeat(11)}`, 'hex');
/** Returns a demo of several parts with its end. */
function recording(length = 2.5 * PART): Buffer {
  const content = Buffer.alloc(length, `PBDEMS2\0 ${++made} `);
  // The positions of the file info and of the spawn groups.
  content.writeUInt32LE(length - 15, 8);
  content.writeUInt32LE(length - 19, 12);
  END.copy(content, length - END.length);
  return content;
}

const cut = (whole: Buffer) => whole.subarray(0, -END.length);

/** When the relay starts. */
const T0 = 1_800_000_000;

/** Writes a demo that is older than those before. */
async function demo(name: string, content = recording()): Promise<Buffer> {
  await writeFile(join(dir, name), content);
  await utimes(join(dir, name), T0 - made, T0 - made);
  return content;
}

type Line = Record<string, unknown> & { readonly level: number; readonly msg: string };

/**
 * A start of the relay on the folder. By default it runs once. Its waits take no time, and are the longest. `onLine` gets
 * its log and the seconds since the start, `onLook` these before each look at the folder but the first.
 */
function start(
  url: string,
  more: { isOnce?: boolean; onLine?: (line: Line, seconds: number) => void; onLook?: (seconds: number) => void } = {},
) {
  const { isOnce = true, onLine = () => {}, onLook = () => {} } = more;
  const lines: Line[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  let seconds = 0;
  const write = (line: string) => {
    lines.push(JSON.parse(line));
    onLine(JSON.parse(line), seconds);
  };
  const log = pino({ base: null }, { write });
  const state = openRelayState(path, log);
  const { uploads } = createTickreel({ baseUrl: url, apiKey: 'tr_key', maxRetries: 0 });
  const timers = {
    now: () => (T0 + seconds) * 1000,
    random: () => 1,
    async wait(ms: number) {
      await setImmediate();
      seconds += ms / 1000;
      onLook(seconds);
    },
  };
  const demos = { dir, state, uploads, tag: 'cup', restMs: 60_000, isOnce };
  const ended = runRelay({ ...demos, ...timers, log, signal: stop.signal });
  return { lines, ended, log, state, stop: () => stop.abort() };
}

const namesOf = ({ complete }: Awaited<ReturnType<typeof serveUploads>>) => complete().map(({ name }) => name);
const contentsOf = ({ complete }: Awaited<ReturnType<typeof serveUploads>>) => complete().map(({ content }) => content);

describe('a folder', () => {
  it('is sent: its demos, the newest first, and nothing else; they stay', { tags: ['long'] }, async () => {
    const service = await serveUploads();
    const sent = ['a.dem', 'b.dem.gz', 'c.DEM', 'd.bz2', 'e.zst', 'f.zip', 'g.rar'];
    const contents = [];
    for (const name of sent) contents.push(await demo(name));
    for (const name of ['notes.txt', 'h.gz', '.hidden.dem', 'h.dem.part', 'i.dem~']) await demo(name);
    await demo('broken-off.dem', cut(recording()));
    await mkdir(join(dir, 'folder.dem'));
    await writeFile(join(dir, 'empty.dem'), '');
    await writeFile(join(root, 'outside.dem'), 'a secret');
    await symlink(join(root, 'outside.dem'), join(dir, 'link.dem'));
    await symlink(join(dir, 'a.dem'), join(dir, 'inner.dem'));
    execFileSync('mkfifo', [join(dir, 'pipe.dem')]);
    const before = await readdir(dir);
    expect(await start(service.url).ended).toBe(true);
    expect(namesOf(service)).toEqual(sent);
    expect(contentsOf(service)).toEqual(contents);
    expect(service.complete().every(({ tag }) => tag === 'cup')).toBe(true);
    expect(await readdir(dir)).toEqual(before);
  });

  it('never has a link followed that replaced a demo after it was looked at', async () => {
    const content = await demo('a.dem');
    const service = await serveUploads();
    await writeFile(join(root, 'outside.dem'), content);
    const { atime, mtime } = statSync(join(dir, 'a.dem'));
    await utimes(join(root, 'outside.dem'), atime, mtime);
    const onLine = ({ msg }: Line) => {
      if (msg !== 'sending') return;
      rmSync(join(dir, 'a.dem'));
      symlinkSync(join(root, 'outside.dem'), join(dir, 'a.dem'));
    };
    const relay = start(service.url, { onLine });
    await relay.ended;
    expect(relay.lines.at(-1)?.reason).toMatch(/^ELOOP/);
    expect(service.lines).toEqual([]);
  });

  it.each<[string, number, string, (whole: Buffer) => Buffer]>([
    ['a demo with its end', 60, 'a.dem', (whole) => whole],
    ['an archive', 60, 'a.dem.gz', cut],
    ['a demo without an end', 600, 'a.dem', cut],
    ['a demo that goes on after an end', 600, 'a.dem', (whole) => Buffer.concat([whole, whole.subarray(16)])],
    ['a copy that has not all bytes yet', 600, 'a.dem', (whole) => whole.subarray(0, -1)],
    ['a demo whose preamble names no end', 600, 'a.dem', (whole) => whole.fill(0, 8, 16)],
    ['a demo without a stop', 600, 'a.dem', (whole) => whole.fill(1, whole.length - 23, whole.length - 19)],
    ['a demo that ends with a packet', 600, 'a.dem', (whole) => whole.fill(7, whole.length - 15, whole.length - 14)],
  ])('has %s: it is sent when it has not changed for %i s', async (_, rest, name, contentOf) => {
    const service = await serveUploads();
    await demo(name, recording(PART));
    const content = contentOf(recording());
    const sent: number[] = [];
    const onLine = ({ msg }: Line, seconds: number) => {
      if (msg === 'sending') sent.push(seconds);
      if (msg === 'sent') relay.stop();
    };
    const onLook = (seconds: number) => {
      if (seconds !== 55) return;
      writeFileSync(join(dir, name), content);
      utimesSync(join(dir, name), T0 + seconds, T0 + seconds);
    };
    const relay = start(service.url, { isOnce: false, onLine, onLook });
    expect(await relay.ended).toBe(true);
    expect(sent).toEqual([55 + rest]);
    expect(contentsOf(service)).toEqual([content]);
  });

  it.skipIf(!haveRealDemos)('has demos that the game recorded: each is whole with its last byte', async () => {
    for (const name of ['14065.dem', '14090.dem', '14160.dem']) {
      const file = await open(realDemo(name));
      const { size } = await file.stat();
      expect([isWholeDemo(file.fd, size), isWholeDemo(file.fd, size - 1)]).toEqual([true, false]);
      await file.close();
    }
  });

  it.each(['renamed over', 'written over'])(
    'has a demo that is %s while it is sent: it is started over',
    async (how) => {
      const old = await demo('a.dem');
      const other = Buffer.alloc(old.length, 'other');
      let isOver = false;
      const service = await serveUploads((line) => {
        if (line !== 'PUT /api/uploads/part' || isOver) return false;
        isOver = true;
        const target = how === 'renamed over' ? join(root, 'other') : join(dir, 'a.dem');
        writeFileSync(target, other);
        if (how === 'renamed over') renameSync(target, join(dir, 'a.dem'));
        return false;
      });
      const relay = start(service.url, { isOnce: false });
      const whole = how === 'renamed over' ? [old, other] : [other];
      await vi.waitFor(() => expect(contentsOf(service)).toEqual(whole), { timeout: 60_000 });
      relay.stop();
      await relay.ended;
      const changed = relay.lines.filter(({ reason }) => reason === 'the demo changed while it was read');
      expect(changed).toHaveLength(how === 'renamed over' ? 0 : 1);
    },
  );
});

describe('a restart', () => {
  it('sends nothing again; without its state it asks once, and sends no part', async () => {
    const service = await serveUploads();
    await demo('a.dem');
    await demo('b.dem');
    expect(await start(service.url).ended).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    service.lines.length = 0;
    expect(await start(service.url).ended).toBe(true);
    expect(service.lines).toEqual([]);
    for (const damaged of ['{"a.dem": ', '{"a.dem": {"size": "?"}}', '[]']) {
      await writeFile(path, damaged);
      const { ended, lines } = start(service.url);
      expect(await ended).toBe(true);
      expect(lines[0]).toMatchObject({ level: 40, msg: expect.stringContaining('damaged') });
      expect(service.lines.splice(0)).toEqual(['POST /api/uploads', 'POST /api/uploads']);
    }
  });

  it('goes on with the parts that are missing, and follows no link in the place of its state', async () => {
    let left = 1;
    const service = await serveUploads(
      (line, response) => line.startsWith('PUT') && left-- <= 0 && refuse(response, 500),
    );
    const content = await demo('a.dem');
    await writeFile(join(root, 'precious'), 'text');
    await symlink(join(root, 'precious'), `${path}.new`);
    expect(await start(service.url).ended).toBe(false);
    left = Infinity;
    expect(await start(service.url).ended).toBe(true);
    expect(contentsOf(service)).toEqual([content]);
    const parts = service.lines.filter((line) => line.startsWith('PUT'));
    expect(parts).toHaveLength(1 + 1 + 2);
    expect(await readFile(join(root, 'precious'), 'utf8')).toBe('text');
  });

  it('hashes a demo again whose stored bytes differ from its hash', async () => {
    const content = await demo('a.dem');
    const { mtime } = statSync(join(dir, 'a.dem'));
    const wrong = { size: content.length, mtimeMs: mtime.getTime(), sha256: '0'.repeat(64) };
    await writeFile(path, JSON.stringify({ 'a.dem': wrong }));
    const service = await serveUploads();
    expect(await start(service.url).ended).toBe(false);
    expect(await start(service.url).ended).toBe(true);
    expect(contentsOf(service)).toEqual([content]);
  });
});

describe('an answer of the service', () => {
  it.each([400, 413])('%i refuses a demo for good, and no other', async (status) => {
    const isFirst = (body: Buffer) => body.includes('"first.dem"');
    const service = await serveUploads((_, response, body) => isFirst(body) && refuse(response, status));
    await demo('first.dem');
    await demo('second.dem');
    const { ended, lines } = start(service.url);
    expect(await ended).toBe(false);
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, demo: 'first.dem', reason: `It is ${status}.` }));
    expect(namesOf(service)).toEqual(['second.dem']);
    expect(JSON.parse(await readFile(path, 'utf8'))['first.dem']).toMatchObject({ outcome: `It is ${status}.` });
    service.lines.length = 0;
    expect(await start(service.url).ended).toBe(false);
    expect(service.lines).toEqual([]);
  });

  const page =
    (status: number): Instead =>
    (_, response) =>
      Boolean(response.writeHead(status).end('<h1>A proxy</h1>'));
  it.each<[string, number, Instead]>([
    ['500', 2, (_, response) => refuse(response, 500)],
    ['429 of a day', 7200, (_, response) => refuse(response, 429, { 'Retry-After': '7200' })],
    ['401 to a wrong key', 2, (_, response) => refuse(response, 401)],
    ['403 to a suspended account', 2, (_, response) => refuse(response, 403)],
    ['409 while another key sends the demo', 2, (_, response) => refuse(response, 409)],
    ["403 of somebody's firewall", 2, page(403)],
    ['413 of a proxy', 2, page(413)],
    ['nothing at all', 2, (_, response) => Boolean(response.destroy())],
  ])('%s is tried again after %i s, and nothing is lost', async (_, waitSeconds, instead) => {
    let isWell = false;
    const service = await serveUploads((...asked) => !isWell && instead(...asked));
    const content = await demo('a.dem');
    const relay = start(service.url, { isOnce: false, onLine: ({ level }) => level >= 40 && relay.stop() });
    expect(await relay.ended).toBe(true);
    expect(relay.lines.at(-1)).toMatchObject({ level: 40, demo: 'a.dem', waitSeconds });
    // It is not hashed again.
    expect(JSON.parse(await readFile(path, 'utf8'))['a.dem'].sha256).toMatch(/^[0-9a-f]{64}$/);
    isWell = true;
    expect(await start(service.url).ended).toBe(true);
    expect(contentsOf(service)).toEqual([content]);
  });
});

it('goes on with the other demos when one fails again and again', async () => {
  const service = await serveUploads((_, response, body) => body.includes('"first.dem"') && refuse(response, 500));
  await demo('first.dem');
  await demo('second.dem');
  expect(await start(service.url).ended).toBe(false);
  expect(namesOf(service)).toEqual(['second.dem']);
});

it('begins its waits anew when parts arrive', async () => {
  let puts = 0;
  const service = await serveUploads(
    (line, response) => line.startsWith('PUT') && puts++ % 2 === 1 && refuse(response, 500),
  );
  await demo('a.dem', recording(9 * PART));
  const waits: unknown[] = [];
  const onLine = ({ waitSeconds }: Line) => {
    if (waitSeconds !== undefined && waits.push(waitSeconds) === 3) relay.stop();
  };
  const relay = start(service.url, { isOnce: false, onLine });
  await relay.ended;
  expect(waits).toEqual([2, 2, 2]);
});

/** Starts a receiver, and returns a function that sends it a demo. */
async function receive() {
  const { log, state, ended } = start('http://127.0.0.1:1');
  await ended;
  const server = createReceiver({ dir, state, log });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/upload`;
  const post = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer> = 'PBDEMS2', method = 'POST') =>
    fetch(url, {
      method,
      headers: { 'Content-Type': 'application/octet-stream', ...headers },
      ...(method === 'GET' ? {} : { body }),
    });
  return { url, post };
}

/** As MatchZy sends them: `UploadFileAsync` in its Utility.cs. */
const MATCHZY = {
  'MatchZy-FileName': 'cup 1/final.dem',
  'MatchZy-MatchId': '7',
  'MatchZy-MapNumber': '0',
  'MatchZy-RoundNumber': '24',
  'Get5-FileName': 'cup 1/final.dem',
  'Get5-MatchId': '7',
  'Get5-MapNumber': '0',
  'Get5-RoundNumber': '24',
};

describe('an upload of a plugin', () => {
  it('is on the disk when it is answered, and sent after a restart with what the plugin said', async () => {
    await demo('final.dem');
    await writeFile(join(dir, '.tickreel-relay-unfinished'), 'of a relay that was killed');
    const content = Buffer.alloc(5 * PART, 'match');
    const { post } = await receive();
    const response = await post(MATCHZY, content);
    expect(response.status).toBe(200);
    const name = await response.text();
    expect(name).toMatch(/^[0-9a-f]{12}-cup_1_final\.dem$/);
    expect((await post({ 'Get5-FileName': 'other.zip' }, 'PK')).status).toBe(200);
    expect(await readdir(dir)).toHaveLength(3);
    expect(await readFile(join(dir, name))).toEqual(content);
    const service = await serveUploads();
    expect(await start(service.url).ended).toBe(true);
    const facts = { file_name: 'cup 1/final.dem', match_id: '7', map_number: 0, round_number: 24 };
    const others = [
      expect.objectContaining({ facts: { file_name: 'other.zip' } }),
      expect.objectContaining({ name: 'final.dem' }),
    ];
    expect(service.complete()).toEqual(
      expect.arrayContaining([expect.objectContaining({ name, facts, content }), ...others]),
    );
  });

  it('is refused without the name of a demo, from a web page, and by another method; nothing of it stays', async () => {
    const { url, post } = await receive();
    expect((await post({})).status).toBe(400);
    expect((await post({ 'MatchZy-FileName': 'server.cfg' })).status).toBe(400);
    expect((await post({ ...MATCHZY, Origin: 'https://example.com' })).status).toBe(405);
    expect((await post(MATCHZY, '', 'GET')).status).toBe(405);
    const sending = request(url, { method: 'POST', headers: { ...MATCHZY, 'Content-Length': 1000 } });
    sending.on('error', () => {});
    sending.write('half');
    await vi.waitFor(async () => expect(await readdir(dir)).toHaveLength(1), { timeout: 30_000, interval: 1 });
    sending.destroy();
    await vi.waitFor(async () => expect(await readdir(dir)).toEqual([]), { timeout: 30_000, interval: 1 });
  });
});

describe('the program', () => {
  const PACKAGE = join(PROJECT_ROOT, 'packages/relay');
  const launch = (args: readonly string[], env: Record<string, string> = {}, main = join(PACKAGE, 'main.ts')) => {
    const child = spawn(process.execPath, [main, dir, '--state', path, ...args], {
      env: { ...bareEnvironment(), TICKREEL_URL: 'http://127.0.0.1:1', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, said: text(child.stderr), ended: once(child, 'close') };
  };
  const key = { TICKREEL_API_KEY: 'tr_key' };

  /** Packs the relay and unpacks it, with no module but its dependencies. Returns the path of the program. */
  async function unpack(): Promise<string> {
    execFileSync(process.execPath, [join(PACKAGE, 'build.ts')]);
    const pack = ['pack', '--silent', '--pack-destination', root];
    const archive = execFileSync('npm', pack, { cwd: join(PACKAGE, 'dist'), encoding: 'utf8' }).trim();
    execFileSync('tar', ['-xf', archive], { cwd: root });
    const unpacked = join(root, 'package');
    const { bin, dependencies } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
    await mkdir(join(unpacked, 'node_modules'));
    for (const name of Object.keys(dependencies))
      await symlink(join(PROJECT_ROOT, 'node_modules', name), join(unpacked, 'node_modules', name));
    return join(unpacked, bin['tickreel-relay']);
  }

  it('takes its key from a private file, sends with --once, and listens until SIGTERM', {
    tags: ['long'],
  }, async () => {
    const content = await demo('a.dem');
    const service = await serveUploads();
    await writeFile(join(root, 'key'), 'tr_key\n', { mode: 0o600 });
    const args = ['--key-file', join(root, 'key'), '--tag', 'cup'];
    const first = launch([...args, '--rest', '0.1', '--once'], { TICKREEL_URL: service.url }, await unpack());
    expect(await first.ended).toEqual([0, null]);
    expect(contentsOf(service)).toEqual([content]);
    const second = launch([...args, '--rest', '1', '--listen', '0'], { TICKREEL_URL: service.url });
    const listening = JSON.parse(String((await once(second.child.stderr, 'data'))[0]));
    expect(listening).toMatchObject({ name: 'relay', msg: 'listening', address: '127.0.0.1' });
    const third = launch(args);
    expect(await third.ended).toEqual([1, null]);
    expect(await third.said).toContain(`${path} cannot be locked (database is locked); another relay may use it.`);
    const headers = { 'MatchZy-FileName': 'b.dem' };
    await fetch(`http://127.0.0.1:${listening.port}/`, { method: 'POST', headers, body: 'PBDEMS2' });
    await vi.waitFor(() => expect(service.complete()).toHaveLength(2), { timeout: 30_000 });
    second.child.kill('SIGTERM');
    expect(await second.ended).toEqual([0, null]);
  });

  it('says in a line why it cannot work, and shows no key', { tags: ['long'] }, async () => {
    await writeFile(join(root, 'shown'), 'tr_key');
    await chmod(join(root, 'shown'), 0o640);
    await writeFile(join(root, 'wrong'), 'tr key', { mode: 0o600 });
    const taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const cases: readonly [string[], Record<string, string>, RegExp][] = [
      [['--key-file', join(root, 'shown')], {}, /^Others can read .*shown: chmod 600 it\.\n$/],
      [['--key-file', join(root, 'none')], key, /^ENOENT.*none'\n$/],
      [['--key-file', join(root, 'wrong')], {}, /^There is no key: [^\n]*\n$/],
      [[], {}, /^There is no key: give --key-file, or set TICKREEL_API_KEY\.\n$/],
      [['--listen', String(port)], key, new RegExp(`^listen EADDRINUSE.* 127\\.0\\.0\\.1:${port}\n$`)],
      [['--listen', `127.0.0.1:${port}`], key, /^listen EADDRINUSE/],
      [['--listen', 'somewhere'], key, /port/],
      [['--tag', 'Two Words'], key, /must be a word of small letters/],
      [['--state', join(root, 'none/state.json')], key, /none\/state\.json/],
    ];
    const runs = cases.map(([args, env], i) => launch(['--once', '--state', join(root, `${i}.json`), ...args], env));
    for (const [i, { ended, said }] of runs.entries()) {
      expect(await said).toMatch(cases[i]?.[2] ?? /never/);
      expect(await ended).toEqual([1, null]);
    }
    expect((await Promise.all(runs.map(({ said }) => said))).join()).not.toMatch(/tr.key/);
  });
});
