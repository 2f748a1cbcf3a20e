import { execFile } from 'node:child_process';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../machine/program.ts';
import { gameScript, type PluginSettings } from './launch-args.ts';

/** What a machine lacks to run the game, with its remedy. */
export interface MachineFault {
  readonly check: string;
  readonly detail: string;
  readonly remedy: string;
  /** The game may run without it. */
  readonly isDoubt?: true;
}

export function fault(detail: string, remedy: string): Omit<MachineFault, 'check'> {
  return { detail, remedy };
}

const run = promisify(execFile);
const PATIENCE_MS = 10_000;

/** Returns the output of a program; null if it does not start, fails or takes too long. */
export async function output(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string | null> {
  try {
    const options = { env: childEnvironment(environment), timeout: PATIENCE_MS, killSignal: 'SIGKILL' as const };
    return (await run(program, [...args], { ...options, windowsHide: true })).stdout;
  } catch {
    return null;
  }
}

export interface MachineInput {
  readonly settings: PluginSettings;
  readonly environment: NodeJS.ProcessEnv;
  /** The folder of the X servers' sockets. */
  readonly sockets?: string;
}

const X_SOCKETS = '/tmp/.X11-unix';
const GUIDE = 'see docs/gpu-host.md';

/** The checks, in order. */
export const LINUX_CHECKS = ['runtime', 'game script', 'plugin', 'display', 'GPU', 'sound server', 'Steam'] as const;

type Look = (input: MachineInput) => Promise<Omit<MachineFault, 'check'> | null>;

const CHECKS: Record<(typeof LINUX_CHECKS)[number], Look> = {
  runtime: async ({ settings: { launcher } }) =>
    (await can(launcher[0], constants.X_OK))
      ? null
      : fault(
          `${launcher[0]} cannot be run`,
          `set TICKREEL_CS2_LAUNCHER to SteamLinuxRuntime_sniper/_v2-entry-point; ${GUIDE}`,
        ),
  'game script': async ({ settings }) =>
    (await can(gameScript(settings), constants.R_OK))
      ? null
      : fault(`${gameScript(settings)} is not there`, `have Steam install the game for Linux; ${GUIDE}`),
  plugin: async ({ settings: { pluginPath } }) =>
    (await can(pluginPath, constants.R_OK))
      ? null
      : fault(`${pluginPath} is not there`, `build it and set TICKREEL_CS2_PLUGIN to it; ${GUIDE}`),
  display: checkDisplay,
  GPU: checkGpu,
  'sound server': checkSound,
  Steam: checkSteam,
};

export async function findLinuxFaults(input: MachineInput): Promise<MachineFault[]> {
  const faults = await Promise.all(
    LINUX_CHECKS.map(async (check) => {
      const found = await CHECKS[check](input);
      return found === null ? [] : [{ check, ...found }];
    }),
  );
  return faults.flat();
}

function can(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

async function checkDisplay({ environment: { DISPLAY = '' }, sockets = X_SOCKETS }: MachineInput) {
  const number = /^:(\d+)(?:\.\d+)?$/.exec(DISPLAY)?.[1];
  if (number === undefined) return fault('DISPLAY names no display of this machine', `start Xorg and set it; ${GUIDE}`);
  const answers = await new Promise<boolean>((resolve) => {
    const socket = connect(join(sockets, `X${number}`));
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
  return answers ? null : fault(`no X server answers on ${DISPLAY}`, `start Xorg, then the host; ${GUIDE}`);
}

async function checkGpu({ environment }: MachineInput) {
  const text = await output('vulkaninfo', ['--summary'], environment);
  if (text === null) return fault('vulkaninfo does not run', 'install vulkan-tools and the GPU’s driver');
  const kinds = [...text.matchAll(/deviceType\s*=\s*PHYSICAL_DEVICE_TYPE_(\w+)/g)].map(([, kind]) => kind);
  if (kinds.some((kind) => kind === 'DISCRETE_GPU' || kind === 'INTEGRATED_GPU' || kind === 'VIRTUAL_GPU')) return null;
  return fault(
    `Vulkan has ${kinds.length === 0 ? 'no device' : 'only a device of software'}`,
    'install the GPU’s driver, and give the container or the user access to /dev/dri',
  );
}

async function checkSound({ environment }: MachineInput) {
  const text = await output('pactl', ['info'], environment);
  if (text === null) return fault('no sound server answers', `start PulseAudio with a null sink; ${GUIDE}`);
  if (/^Default Sink: \S/m.test(text)) return null;
  return fault('the sound server has no sink', 'pactl load-module module-null-sink sink_name=cs2');
}

/** Steam runs if its pipe exists and its process lives. No file shows whether a user is signed in. */
async function checkSteam({ environment: { HOME = '' } }: MachineInput) {
  const folder = join(HOME, '.steam');
  const hasPipe = await stat(join(folder, 'steam.pipe')).then(
    (entry) => entry.isFIFO(),
    () => false,
  );
  const pid = Number(await readFile(join(folder, 'steam.pid'), 'utf8').catch(() => ''));
  if (hasPipe && pid > 0 && isAlive(pid)) return null;
  return fault('Steam does not run', `start it on this display, signed in, and keep it running; ${GUIDE}`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
