import { access, constants, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { output } from '../../../machine/program.ts';
import { gameScript, type PluginSettings } from './launch-args.ts';

/** What a machine lacks to run the game, with its remedy. */
export interface MachineFault {
  readonly check: string;
  readonly detail: string;
  readonly remedy: string;
  /** The game may run without it. */
  readonly isDoubt?: true;
}

function fault(detail: string, remedy: string): Omit<MachineFault, 'check'> {
  return { detail, remedy };
}

export interface MachineInput {
  readonly settings: PluginSettings;
  readonly environment: NodeJS.ProcessEnv;
  /** The folder of the X servers' sockets. */
  readonly sockets?: string;
}

const X_SOCKETS = '/tmp/.X11-unix';
const GUIDE = 'see docs/gpu-host.md';

/** Returns what is missing, or null. */
type Look<Input> = (input: Input) => Promise<Omit<MachineFault, 'check'> | null>;
/** In order. */
export type MachineChecks<Input> = Readonly<Record<string, Look<Input>>>;

/** Returns what is missing, by the checks of one system. */
export async function findFaults<Input>(checks: MachineChecks<Input>, input: Input): Promise<MachineFault[]> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([check, look]) => ({ check, fault: await look(input) })),
  );
  return found.flatMap(({ check, fault }) => (fault === null ? [] : [{ check, ...fault }]));
}

/** What a Linux machine needs to run the game. */
export const LINUX: MachineChecks<MachineInput> = {
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

/** What a Windows machine needs to run the game. */
export const WINDOWS: MachineChecks<NodeJS.ProcessEnv> = {
  'desktop session': async (environment) => {
    const session = environment.SESSIONNAME ?? '';
    if (/^console$/i.test(session)) return null;
    const remedy = 'start the host by a scheduled task at logon, in the session at the screen; see docs/gpu-host.md';
    if (session === '') return fault('this is no desktop session: nothing can be drawn', remedy);
    return { ...fault(`the session is ${session}, which has no GPU once it is left`, remedy), isDoubt: true };
  },
  GPU: async (environment) => {
    const text = await ask('(Get-CimInstance Win32_VideoController).Name', environment);
    if (text === null) return fault('the graphics cards cannot be listed', 'see whether powershell runs');
    const cards = text.split(/\r?\n/).filter((name) => name.trim() !== '' && !IS_NO_CARD.test(name));
    return cards.length > 0 ? null : fault('there is no graphics card, or it has no driver', 'install its driver');
  },
  Steam: async (environment) => {
    const text = await output('tasklist', ['/fi', 'imagename eq steam.exe', '/nh'], environment);
    if (text?.toLowerCase().includes('steam.exe')) return null;
    return fault('Steam does not run', 'have it start at logon, signed in; see docs/gpu-host.md');
  },
};

function ask(query: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  return output('powershell', ['-NoProfile', '-NonInteractive', '-Command', query], environment);
}

/**
 * Whether a firewall rule blocks a TCP port for others. Reads the rules, because no rule blocks this machine from its
 * own ports (Microsoft's KB 2771908).
 */
export async function isBlocked(port: number, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const rules = 'Get-NetFirewallRule -Enabled True -Direction Inbound -Action Block -ErrorAction SilentlyContinue';
  const ofPort = `Where-Object { $_.Protocol -in 'TCP', 'Any' -and $_.LocalPort -contains '${port}' }`;
  return Number(await ask(`@(${rules} | Get-NetFirewallPortFilter | ${ofPort}).Count`, environment)) > 0;
}

/** The display adapters that Windows uses without a graphics card. */
const IS_NO_CARD = /Microsoft (Basic|Remote|Hyper-V)|RDP/i;
