import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { backUp } from '#stack/backup.ts';
import { loadCredentials, loadSecrets } from '#stack/credentials.ts';
import { openDataFolder, rewriteIndex, upgradeDataFolder } from '#stack/data-folder.ts';
import { lockData } from '#stack/data-lock.ts';
import { listenOn } from '#stack/listen.ts';
import { commandOf, startOf } from '#stack/processes.ts';
import { freePort } from '#stack/service.ts';
import { startStack } from '#stack/stack.ts';

/** A data folder as version 1 of the stack left it. It is frozen from the first release on. */
const FROZEN = fileURLToPath(new URL('./data-folders/1', import.meta.url));
const NOBODY = 'http://127.0.0.1:1';
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'data-folder-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
});

/** Starts the stack up to the service. */
async function open(): Promise<void> {
  await openDataFolder(dataDir);
  const lock = await lockData(dataDir);
  lock.noteRuntimes();
  await upgradeDataFolder(dataDir);
  lock.release();
}

/** Returns a process that runs until it is killed, with another program's name if needed. */
async function idle(argv0 = process.execPath): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { argv0, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  // A process just spawned has no name of its own yet.
  await vi.waitUntil(() => commandOf(child.pid ?? Number.NaN) === argv0, 30_000);
  return child;
}

const mode = async () => (await stat(dataDir)).mode & 0o777;
const version = async () => JSON.parse(await readFile(join(dataDir, 'version.json'), 'utf8'));

describe('the data folder of a stack', () => {
  it('of version 1 is read by this one', async () => {
    await cp(FROZEN, dataDir, { recursive: true });
    const kept = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    await open();
    const { admin_token, clip_id_secret } = kept;
    const secrets = loadSecrets(dataDir);
    expect(secrets).toEqual({ admin_token, clip_id_secret });
    expect(await loadCredentials(dataDir, NOBODY, secrets)).toEqual(kept);
    expect(await version()).toMatchObject({ v: 1 });
  });

  it('of version 1 is upgraded by a version to come, once, and then refused by this one', async () => {
    await cp(FROZEN, dataDir, { recursive: true });
    await openDataFolder(dataDir);
    const upgrade = (folder: string) => appendFile(join(folder, 'upgraded'), 'once');
    for (let starts = 0; starts < 2; starts++) await upgradeDataFolder(dataDir, [upgrade]);
    expect(await readFile(join(dataDir, 'upgraded'), 'utf8')).toBe('once');
    await expect(open()).rejects.toThrow('written by a newer Tickreel (version 2, and this one knows up to 1)');
  });

  it('whose first start was interrupted keeps its secrets, and gets its accounts later', async () => {
    const secrets = loadSecrets(dataDir);
    await open();
    expect(loadSecrets(dataDir)).toEqual(secrets);
    await expect(loadCredentials(dataDir, NOBODY, secrets)).rejects.toThrow('cannot be reached');
  });

  it('whose stack was killed is rid of the runtime it left, and of no other process', async () => {
    const [runtime, other] = [await idle('workerd'), await idle()];
    const ended = once(runtime, 'exit');
    const runtimes = [runtime, other].map(({ pid = Number.NaN }) => ({ pid, started: startOf(pid) }));
    await writeFile(join(dataDir, 'stack.json'), JSON.stringify({ stack: 4194399, runtimes }));
    await open();
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  });

  it('is unchanged while another process has the port', async () => {
    await chmod(dataDir, 0o755);
    const server = createServer();
    onTestFinished(() => void server.close());
    const port = await listenOn(server);
    const options = { port, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent' };
    await expect(startStack(options)).rejects.toThrow(`port ${port} is in use`);
    expect(await mode()).toBe(0o755);
    expect(await readdir(dataDir)).toEqual(['lock']);
  });

  it('gets another port if the free one was taken during the start', async () => {
    const drawn = vi.spyOn(Math, 'random').mockReturnValueOnce(0.5);
    const server = createServer();
    onTestFinished(() => void server.close());
    const starting = startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent' });
    // Written after the port was found free.
    await vi.waitUntil(() => existsSync(join(dataDir, 'credentials.json')), { timeout: 30_000, interval: 1 });
    const port = await listenOn(server, 26_000).catch(() => null);
    drawn.mockRestore();
    const stack = await starting;
    onTestFinished(stack.stop);
    expect(stack.baseUrl).not.toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(stack.baseUrl)).status).toBe(200);
  });

  it.each(['', '{"stack":'])('is opened all the same when its note of processes is broken: %j', async (note) => {
    await open();
    await writeFile(join(dataDir, 'stack.json'), note);
    await open();
    expect(JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8'))).toMatchObject({ stack: process.pid });
  });

  it('has an index without deleted rows from the next start on', async () => {
    await mkdir(join(dataDir, 'd1'));
    const path = join(dataDir, 'd1/index.sqlite');
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('kept');
      INSERT INTO people VALUES ('erased' || hex(zeroblob(9000))); DELETE FROM people WHERE name != 'kept'`);
    // A killed runtime leaves it like this.
    for (const end of ['', '-wal']) await cp(path + end, join(dataDir, `d1/left.sqlite${end}`));
    database.close();
    const left = async () => (await readFile(join(dataDir, 'd1/left.sqlite'), 'latin1')) + (await walOf());
    const walOf = () => readFile(join(dataDir, 'd1/left.sqlite-wal'), 'latin1').catch(() => '');
    expect(await left()).toContain('erased');
    await writeFile(join(dataDir, 'd1/broken.sqlite'), 'nothing of SQLite');
    const write = vi.spyOn(process.stderr, 'write').mockReturnValueOnce(true);
    await rewriteIndex(dataDir);
    expect(write).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^Deleted rows may still be in the index: .*not a/),
    );
    write.mockRestore();
    expect(await left()).toContain('kept');
    expect(await left()).not.toContain('erased');
  });

  it('is not copied while its stack starts or ends, because it may be written', async () => {
    await open();
    const lock = await lockData(dataDir);
    const to = `${dataDir}-backup`;
    onTestFinished(() => rm(to, { recursive: true, force: true }));
    await expect(backUp(dataDir, to)).rejects.toThrow(`The stack on ${dataDir} starts or ends: try again`);
    expect((await readdir(tmpdir())).filter((name) => join(tmpdir(), name).startsWith(to))).toEqual([]);
    await idle('workerd');
    lock.noteRuntimes();
    expect((await backUp(dataDir, to)).pausedMs).toBeGreaterThan(0);
    lock.release();
  });

  it('is not copied into itself, not even through links', async () => {
    await open();
    await symlink(dataDir, `${dataDir}-link`);
    onTestFinished(() => rm(`${dataDir}-link`));
    for (const to of [join(dataDir, 'backups/one'), join(`${dataDir}-link`, 'one'), dataDir]) {
      await expect(backUp(dataDir, to), to).rejects.toThrow(`${to} lies in ${dataDir}`);
    }
    await expect(backUp(`${dataDir}-link`, join(dataDir, 'one'))).rejects.toThrow('lies in');
    expect((await readdir(dataDir)).sort()).toEqual(['lock', 'stack.json', 'version.json']);
  });

  it('is closed to others when it is new, but not when everybody writes to it', async () => {
    await chmod(dataDir, 0o755);
    await open();
    expect(await mode()).toBe(0o700);
    expect(await version()).toMatchObject({ v: 1 });
    await rm(join(dataDir, 'version.json'));
    await chmod(dataDir, 0o777);
    await open();
    expect(await mode()).toBe(0o777);
  });

  it('of a newer version is refused and left as it is', async () => {
    await writeFile(join(dataDir, 'version.json'), '{"v":2}');
    await expect(openDataFolder(dataDir)).rejects.toThrow(
      /was written by a newer Tickreel \(version 2, and this one knows up to 1\)/,
    );
    expect(await readdir(dataDir)).toEqual(['version.json']);
  });

  it.each([
    ['a migration that this one lacks', '0999_later.sql', 'ab'],
    ['another migration of the same name', '0000_tables.sql', 'ab'],
    ['jobs of a later version', 'job', 99],
    ['objects of an unknown kind', 'reel', 1],
  ])('that has %s in it is refused and left as it is', async (_, name, stored) => {
    await open();
    const path = join(dataDir, 'version.json');
    const { schema, ...rest } = await version();
    expect(schema).toMatchObject({ job: 1, queue: 1, '0000_tables.sql': expect.any(String) });
    const text = JSON.stringify({ ...rest, schema: { ...schema, [name]: stored } });
    await writeFile(path, text);
    const before = await readdir(dataDir);
    const refusal = `was written by a newer Tickreel (${name} ${stored}, which this one does not know)`;
    await expect(startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent' })).rejects.toThrow(refusal);
    await expect(backUp(dataDir, `${dataDir}-backup`)).rejects.toThrow(refusal);
    expect(await readdir(dataDir)).toEqual(before);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('has every lease of a start above all earlier ones, even if it is a copy and the clock went back', async () => {
    const floorOf = async (folder: string) => {
      const fence = await upgradeDataFolder(folder);
      expect(Number.isSafeInteger(fence + 1e6)).toBe(true);
      return fence;
    };
    const first = await floorOf(dataDir);
    const copyOf = async (name: string) => {
      await cp(join(dataDir, 'version.json'), join(dataDir, name, 'version.json'));
      return join(dataDir, name);
    };
    vi.useFakeTimers({ now: first + 1, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await floorOf(await copyOf('a'))).toBe(first + 1);
    vi.setSystemTime(first - 3_600_000);
    const [b, c] = [await floorOf(await copyOf('b')), await floorOf(await copyOf('c'))];
    expect(Math.min(b, c)).toBeGreaterThan(first + 1e5);
    // Two copies of one folder: each grants some fences above its own.
    expect(Math.abs(b - c)).toBeGreaterThan(100);
  });

  it('without a version is refused', async () => {
    await writeFile(join(dataDir, 'version.json'), 'two');
    await expect(openDataFolder(dataDir)).rejects.toThrow(/does not say which version/);
  });
});

it('a free port is outside the range that the system assigns', async () => {
  const ports = await Promise.all(Array.from({ length: 5 }, () => freePort(0)));
  // Linux assigns ports from here; other systems higher.
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
