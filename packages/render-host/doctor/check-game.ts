import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { reasonOf } from '#domain/lib/text.ts';
import { findDialogs } from '../capture/cs2/game/console-faults.ts';
import { isNewer, readGameBuild } from '../capture/cs2/game/game-build.ts';
import {
  type Cs2Settings,
  gameProgram,
  type HlaeSettings,
  type PluginSettings,
  specLockScript,
} from '../capture/cs2/game/launch-args.ts';
import { findFaults, isBlocked, LINUX, type MachineChecks, WINDOWS } from '../capture/cs2/game/machine-faults.ts';
import { signedInAccount } from '../capture/cs2/game/steam-folder.ts';
import { type Finding, fail, ok, warn } from './check-machine.ts';

const PATIENCE_MS = 1000;

/** The differences between machines, which tests replace. */
export interface GameMachine {
  /** The machine's addresses except loopback. */
  readonly addresses?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly sockets?: string;
  readonly isWindows?: boolean;
}

/** Checks what the `cs2` renderer needs of this machine. */
export async function checkGame(settings: Cs2Settings, machine: GameMachine = {}): Promise<Finding[]> {
  const { addresses = otherAddresses(), environment = process.env, isWindows = process.platform === 'win32' } = machine;
  const own =
    settings.recorder === 'hlae'
      ? checkHlae(settings, { addresses, environment, isWindows })
      : checkLinux(settings, machine);
  const around = isWindows ? judge(WINDOWS, environment) : [];
  return (await Promise.all([checkBuild(settings), checkAccount(settings), own, around, checkDialogs(machine)])).flat();
}

/** The game does not show the player who is signed in to Steam. */
async function checkAccount(settings: Cs2Settings): Promise<Finding> {
  const account = await signedInAccount(settings);
  if (account !== null) return ok('Steam account', account);
  const detail = 'no file names it, so a clip of its own player cannot be refused';
  return warn('Steam account', detail, 'sign in to Steam, and have it remember that; see docs/gpu-host.md');
}

/** Returns a finding for each window that waits for an answer. */
async function checkDialogs({ environment, isWindows }: GameMachine): Promise<Finding[]> {
  const dialogs = await findDialogs(environment, isWindows);
  return dialogs.map(({ title, meaning, remedy }) => fail('window', `“${title}” waits: ${meaning}`, remedy));
}

async function checkLinux(settings: PluginSettings, { environment = process.env, sockets }: GameMachine) {
  const found = await judge(LINUX, { settings, environment, ...(sockets !== undefined && { sockets }) });
  // No date or version of a plugin says whether it fits the game.
  const trial = 'there; only a recording shows whether it fits this build: doctor --record FILE';
  return found.map((one) => (one.check === 'plugin' && one.status === 'ok' ? ok(one.check, trial) : one));
}

async function judge<Input>(checks: MachineChecks<Input>, input: Input): Promise<Finding[]> {
  const faults = await findFaults(checks, input);
  return Object.keys(checks).map((check) => {
    const found = faults.find((fault) => fault.check === check);
    if (found === undefined) return ok(check, 'there');
    return (found.isDoubt ? warn : fail)(check, found.detail, found.remedy);
  });
}

async function checkHlae(settings: HlaeSettings, machine: Required<Omit<GameMachine, 'sockets'>>): Promise<Finding[]> {
  const [launcher] = settings.launcher;
  const guide = 'see docs/gpu-host.md';
  return Promise.all([
    checkFile('game program', gameProgram(settings), `have Steam verify the game’s files; ${guide}`),
    checkFile('launcher', launcher, `install HLAE and set TICKREEL_CS2_LAUNCHER to its HLAE.exe; ${guide}`),
    checkFile('hook', settings.hookPath, `set TICKREEL_CS2_HOOK to HLAE’s x64\\AfxHookSource2.dll; ${guide}`),
    checkHlaeVersion(settings),
    checkFile('camera script', specLockScript(settings), `install HLAE ${OLDEST_HLAE} or newer; ${guide}`),
    checkEncoderOfHlae(settings),
    checkPort(settings.consolePort, machine),
  ]);
}

/** Older versions crash at `mirv_deathmsg clear` (advancedfx, mended on 10 July 2026). */
const OLDEST_HLAE = '2.191.0';

/** Checks HLAE's version, which its `changelog.xml` names first. */
async function checkHlaeVersion({ hookPath }: HlaeSettings): Promise<Finding> {
  const path = join(dirname(dirname(hookPath)), 'changelog.xml');
  const text = await readFile(path, 'utf8').catch(() => '');
  const version = /<version>([\d.]+)<\/version>/.exec(text)?.[1];
  const remedy = `install HLAE ${OLDEST_HLAE} or newer; see docs/gpu-host.md`;
  if (version === undefined) return warn('HLAE', `${path} names no version`, remedy);
  return isNewer(OLDEST_HLAE, version)
    ? fail('HLAE', `version ${version} crashes while recording`, remedy)
    : ok('HLAE', version);
}

/**
 * Checks HLAE's own ffmpeg, or the file that names another (cs-demo-manager writes it). Without one HLAE records only
 * sound.
 */
async function checkEncoderOfHlae({ hookPath }: HlaeSettings): Promise<Finding> {
  const folder = join(dirname(dirname(hookPath)), 'ffmpeg');
  for (const name of [join('bin', 'ffmpeg.exe'), 'ffmpeg.ini']) {
    const found = await checkFile('HLAE’s ffmpeg', join(folder, name), '');
    if (found.status === 'ok') return found;
  }
  const remedy = 'run HLAE’s installer again, with FFmpeg; see docs/gpu-host.md';
  return warn('HLAE’s ffmpeg', `${folder} has neither bin\\ffmpeg.exe nor ffmpeg.ini`, remedy);
}

async function checkBuild(settings: Cs2Settings): Promise<Finding> {
  try {
    return ok('game', `build ${(await readGameBuild(settings)).version}`);
  } catch (error) {
    const remedy = 'set TICKREEL_CS2_DIR to the folder that holds game/csgo; see docs/gpu-host.md';
    return fail('game', reasonOf(error), remedy);
  }
}

async function checkFile(check: string, path: string, remedy: string): Promise<Finding> {
  const isFile = await stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );
  return isFile ? ok(check, path) : fail(check, `${path} is not there`, remedy);
}

/**
 * Checks that others cannot reach the console's port, because a game without a password takes commands from anybody.
 * The port is only open while a game runs. On Windows the firewall's rules are read instead, which apply at any time.
 */
async function checkPort(
  port: number,
  { addresses, environment, isWindows }: Required<Omit<GameMachine, 'sockets'>>,
): Promise<Finding> {
  const remedy = `block TCP port ${port} in the firewall, for all but this machine itself; see docs/gpu-host.md`;
  if (isWindows && (await isBlocked(port, environment)))
    return ok('console port', `the firewall keeps others from ${port}`);
  const answers = await Promise.all(addresses.map(async (address) => ((await isOpen(port, address)) ? [address] : [])));
  const open = answers.flat();
  if (open.length > 0) return fail('console port', `${port} is open at ${open.join(', ')}`, remedy);
  if (!isWindows) return ok('console port', `${port} is closed at this machine’s other addresses`);
  return warn('console port', `no rule of the firewall keeps others from ${port} while a game runs`, remedy);
}

function otherAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
}

function isOpen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: PATIENCE_MS });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
