import { createSocket } from 'node:dgram';
import { on, once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished, vi } from 'vitest';
import { frame } from '#demo-writer/format/container.ts';
import { composeMatch, encodeDemo, type MatchOutline } from '#demo-writer/index.ts';
import type { HlaeSettings, PluginSettings } from '#render-host/capture/cs2/game/launch-args.ts';
import type { Match, PlayerIndex } from '#render-host/match/match.ts';
import { readMatch } from '#render-host/match/read-match.ts';
import { CLOCK_SPEED } from './test-timers.ts';

const FAKE_GAME = new URL('./fake-game.ts', import.meta.url);
const FAKE_LINUX_GAME = new URL('./fake-linux-game.ts', import.meta.url);

/**
 * Starts a fake game. Some seventy are started without our environment, so the cache of compiled code is passed here.
 */
function launcherOf(game: URL): readonly [string, ...string[]] {
  const cache = JSON.stringify(process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'tickreel-compile-cache'));
  const preload = `import { enableCompileCache } from 'node:module'; enableCompileCache(${cache});`;
  return [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(preload)}`, fileURLToPath(game)];
}

export interface GameSetup<Settings = HlaeSettings> {
  readonly settings: Settings;
  readonly workDir: string;
  /** The host's folder. */
  readonly folder: string;
  /** Returns each line that the game got. */
  commands(): Promise<string[]>;
  /** Returns what the game did: starts, loads, seeks, takes. */
  events(): Promise<string[]>;
  /** Resolves once the game's process runs. */
  started(): Promise<void>;
  /** Resolves once the game hangs. */
  stuck(): Promise<void>;
  /** Whether the game's process runs. */
  isGameRunning(): Promise<boolean>;
  /** Returns the content of the game's `cfg` folder. */
  leftovers(): Promise<string[]>;
  /** From now on the machine lists the windows of the game. */
  tellWindows(): Promise<void>;
}

/** Makes a folder like the game's, with the fake game and HLAE's script in it, and ports of its own. */
export async function setUpGame(modes = '', version = '1.41.6.0'): Promise<GameSetup> {
  const { root, gameDir, common } = await setUpFolder(modes, version);
  const snippets = join(root, 'hlae/resources/AfxHookSource2/snippets');
  for (const folder of [snippets, join(gameDir, 'game/bin/win64')]) await mkdir(folder, { recursive: true });
  await writeFile(join(snippets, 'mirv_script_spec_lock.js'), '');
  const settings: HlaeSettings = {
    ...common,
    recorder: 'hlae',
    launcher: launcherOf(FAKE_GAME),
    hookPath: join(root, 'hlae/x64/AfxHookSource2.dll'),
    consolePort: await freePort(),
    jobsPerStart: 20,
  };
  return { settings, ...looksInto(root, gameDir) };
}

const GAME_INFO =
  '"GameInfo"\r\n{\r\n\tSearchPaths\r\n\t{\r\n\t\tGame_LowViolence\tcsgo_lv\r\n\t\tGame\tcsgo\r\n\t\tGame\tcsgo_core\r\n\t}\r\n}\r\n';

/** Returns the same for Linux, with the plugin. */
export async function setUpLinuxGame(modes = '', version = '1.41.6.0'): Promise<GameSetup<PluginSettings>> {
  const { root, gameDir, common } = await setUpFolder(modes, version);
  await mkdir(join(gameDir, 'game/bin/linuxsteamrt64'), { recursive: true });
  await writeFile(join(gameDir, 'game/csgo/gameinfo.gi'), GAME_INFO);
  await writeFile(join(gameDir, 'game/cs2.sh'), '');
  const pluginPath = join(root, 'libserver.so');
  await writeFile(pluginPath, 'ELF');
  const settings: PluginSettings = {
    ...common,
    recorder: 'plugin',
    launcher: launcherOf(FAKE_LINUX_GAME),
    pluginPath,
  };
  return { settings, ...looksInto(root, gameDir) };
}

async function setUpFolder(modes: string, version: string) {
  const root = await mkdtemp(join(tmpdir(), 'tickreel-cs2-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const gameDir = join(root, 'steamapps/common/game folder');
  for (const folder of [join(root, 'work'), join(gameDir, 'game/csgo/cfg')]) await mkdir(folder, { recursive: true });
  await writeFile(
    join(gameDir, 'game/csgo/steam.inf'),
    `ClientVersion=2000763\r\nPatchVersion=${version}\r\nappID=730\r\nVersionDate=Apr 22 2026\r\n`,
  );
  const common = {
    gameDir,
    gameStatePort: await freePort(),
    gameArgs: ['+fake', `clock=${CLOCK_SPEED},${modes}`],
    footageCodec: '-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv420p',
    demoPredict: 0 as const,
    stripDecals: 'auto' as const,
    filmHeight: 1440,
  };
  return { root, gameDir, common };
}

/** Writes Steam's list of accounts. Names of people may look like its syntax. */
export async function signIn(steam: string, account: string): Promise<void> {
  const user = (id: string, name: string, recent: number) =>
    `\t"${id}"\n\t{\n\t\t"PersonaName"\t\t"${name}"\n\t\t"MostRecent"\t\t"${recent}"\n\t}\n`;
  const users = user('76561197960265729', '} \\"MostRecent\\" \\"1\\"', 0) + user(account, '{', 1);
  await mkdir(join(steam, 'config'), { recursive: true });
  await writeFile(join(steam, 'config/loginusers.vdf'), `"users"\n{\n${users}}\n`);
}

function looksInto(root: string, gameDir: string): Omit<GameSetup, 'settings'> {
  return {
    workDir: join(root, 'work'),
    folder: join(root, 'cs2'),
    commands: async () => (await readFile(join(gameDir, 'commands.log'), 'utf8')).trim().split('\n'),
    events: async () => (await readFile(join(gameDir, 'events.log'), 'utf8')).trim().split('\n'),
    started: () => appears(gameDir, 'up'),
    stuck: () => appears(gameDir, 'stuck'),
    async isGameRunning() {
      const pid = Number(await readFile(join(gameDir, 'pid'), 'utf8'));
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    },
    leftovers: () => readdir(join(gameDir, 'game/csgo/cfg')),
    async tellWindows() {
      const bin = join(root, 'bin');
      await mkdir(bin);
      await writeFile(join(bin, 'xwininfo'), `#!/bin/sh\ncat '${join(gameDir, 'windows')}'\n`, { mode: 0o755 });
      vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
      onTestFinished(() => void vi.unstubAllEnvs());
    },
  };
}

async function appears(folder: string, name: string): Promise<void> {
  const watcher = watch(folder);
  // Starts watching before the folder is read, because a change meanwhile may be the last.
  const changes = on(watcher, 'change');
  while (!(await readdir(folder)).includes(name)) await changes.next();
  watcher.close();
}

/** The number of ports of each worker of the test runner, below those that the system assigns by itself. */
const PORTS = 2000;
const FIRST_PORT = 10_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * PORTS;
let tried = Math.floor(Math.random() * PORTS);

/**
 * Returns a port of its own. A starting game sends `quit` to a game on its port, so no other test, nor another run on
 * this machine, may use the same. A socket on another port reserves the number until the test ends.
 */
async function freePort(): Promise<number> {
  const port = FIRST_PORT + (tried++ % PORTS);
  const hold = createSocket('udp4');
  const server = createServer();
  try {
    hold.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(hold, 'listening');
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    hold.close();
    return freePort();
  }
  onTestFinished(() => void hold.close());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface TestDemo {
  readonly path: string;
  readonly match: Match;
  /** Sits in another slot from tick 800 on. */
  readonly mover: PlayerIndex;
}

const CONSOLE_CMD = 9;
const PACKET = 7;
const PREAMBLE = 16;

/** Writes a match of 25 seconds in which all players walk, and only `kills` happen. Returns its file and its match. */
export async function writeTestDemo({
  command = '',
  brokenPacket = false,
  lastTick = 1600,
  kills = [] as NonNullable<MatchOutline['kills']>,
} = {}): Promise<TestDemo> {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-demo-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const script = composeMatch({
    rounds: [{ startTick: 10, freezeEndTick: 20 }],
    seats: [{ tick: 800, player: 4, slot: 20 }],
    lastTick,
    kills,
  });
  const bytes = encodeDemo(script);
  const text = Buffer.from(command);
  const extra = [
    ...(command === '' ? [] : [frame(CONSOLE_CMD, 0, Buffer.concat([Buffer.from([0x0a, text.length]), text]))]),
    // A packet whose only field claims more bytes than there are.
    ...(brokenPacket ? [frame(PACKET, 0, Uint8Array.of(0x1a, 0x7f, 0))] : []),
  ];
  const path = join(folder, 'match.dem');
  await writeFile(path, Buffer.concat([bytes.subarray(0, PREAMBLE), ...extra, bytes.subarray(PREAMBLE)]));
  const clean = join(folder, 'clean.dem');
  await writeFile(clean, bytes);
  const result = await readMatch(clean);
  if (!result.ok) throw new Error(result.detail);
  const mover = result.match.players.findIndex(({ seats }) => seats.length > 1);
  return { path, match: result.match, mover };
}
