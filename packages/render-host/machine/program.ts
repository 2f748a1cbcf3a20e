import { type ChildProcess, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cleanLine } from '#domain/lib/text.ts';
import type { HostCapabilities } from '#protocol/host/host-capabilities.ts';

/** Whether a system call failed (a full disk, a missing file); otherwise the data is wrong. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/**
 * An error of this machine that a thread, a child process or another program reports. Only its message is transferred.
 */
export class MachineError extends Error {}

/** Node's error codes without memory or threads. */
const SHORTAGES: ReadonlySet<unknown> = new Set([
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_WORKER_INIT_FAILED',
  'ERR_WORKER_OUT_OF_MEMORY',
  'Z_MEM_ERROR',
]);

/** Whether this machine is at fault, not the data: another attempt or another machine may succeed. */
export function isMachineError(error: unknown): error is Error {
  if (error instanceof MachineError || isSystemError(error)) return true;
  return error instanceof Error && 'code' in error && SHORTAGES.has(error.code);
}

const MESSAGES = [
  ...[
    'no space left on device',
    'disk quota exceeded',
    'file too large',
    'read-only file system',
    'input/output error',
  ],
  ...['i/o error', 'no such file or directory', 'stale (nfs )?file handle', 'too many open files'],
  ...['cannot allocate memory', 'not enough memory', 'resource temporarily unavailable'],
  // A program that ended because it was asked to.
  'received signal',
];
const PROGRAM_MESSAGES = new RegExp(MESSAGES.join('|'), 'i');

/**
 * Whether the message of a failed program says that the machine is at fault, in the words of the C library or of Node.
 */
export function reportsMachineError(complaint: string): boolean {
  return PROGRAM_MESSAGES.test(complaint);
}

export interface ProgramFailure {
  /** A text with the end of its standard error. */
  readonly detail: string;
  /** Whether the machine is at fault: the program did not start, was killed from outside, or reported it. */
  readonly isMachineError: boolean;
}

/** Signals of a crash. Each other signal comes from outside. */
const CRASHES: ReadonlySet<NodeJS.Signals> = new Set(['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP']);

export function isCrash(signal: NodeJS.Signals | null): boolean {
  return signal !== null && CRASHES.has(signal);
}

/** How many characters of standard error are kept. */
const STDERR_TAIL = 2000;

/**
 * Resolves with null when a program ends well, else with why it failed. Never rejects. `name` is its name in the text.
 */
export function programEnd(child: ChildProcess, name: string): Promise<ProgramFailure | null> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL);
  });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      resolve({ detail: `the ${name} did not start: ${error.message}`, isMachineError: true });
    });
    child.on('close', (code, killedBy) => {
      if (code === 0) return resolve(null);
      const end = code === null ? `was ended by ${killedBy}` : `ended with code ${code}`;
      const output = stderr === '' ? '' : `: ${stderr.trim()}`;
      const isMachineError = killedBy !== null || reportsMachineError(stderr);
      resolve({ detail: `the ${name} ${end}${output}`, isMachineError });
    });
  });
}

/** The variables that child programs get, in upper case: paths, the language, the desktop and the GPU. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'OS', 'COMPUTERNAME', 'USERNAME', 'USERDOMAIN'],
  ...['USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'ALLUSERSPROFILE', 'PUBLIC'],
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'COMMONPROGRAMFILES', 'COMMONPROGRAMFILES(X86)'],
  ...['NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE', 'SESSIONNAME', 'LD_LIBRARY_PATH'],
  ...['DISPLAY', 'XAUTHORITY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'PULSE_SERVER', 'PULSE_SINK'],
  ...['SDL_VIDEODRIVER', 'SDL_AUDIODRIVER', 'VK_ICD_FILENAMES', 'VK_DRIVER_FILES', 'VK_LAYER_PATH', 'DRI_PRIME'],
  ...['LIBVA_DRIVER_NAME', 'LIBVA_DRIVERS_PATH', 'CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER'],
  ...['NVIDIA_VISIBLE_DEVICES', 'NVIDIA_DRIVER_CAPABILITIES', '__NV_PRIME_RENDER_OFFLOAD', '__GLX_VENDOR_LIBRARY_NAME'],
]);
const ALLOWED_BEGINNINGS = /^(LC|XDG)_/;

/**
 * Returns the environment for a program that reads untrusted data (ffmpeg, the game): only the listed variables, so
 * neither the host's token nor any other secret.
 */
export function childEnvironment(own: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => ALLOWED.has(name.toUpperCase()) || ALLOWED_BEGINNINGS.test(name)),
  );
}

/**
 * Returns the environment for a Node process or thread of ours: the cache of compiled code. Windows starts no process
 * without SystemRoot.
 */
export function bareEnvironment(
  { SystemRoot, NODE_COMPILE_CACHE }: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return { ...(SystemRoot !== undefined && { SystemRoot }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}

const run = promisify(execFile);
/** A program that hangs must not block the host. */
const PATIENCE_MS = 20_000;

/** Returns the output of a program; null if it does not start, fails or takes too long. */
export async function output(
  program: string,
  args: readonly string[],
  environment = process.env,
): Promise<string | null> {
  try {
    const options = { env: childEnvironment(environment), timeout: PATIENCE_MS, killSignal: 'SIGKILL' as const };
    return (await run(program, [...args], { ...options, windowsHide: true })).stdout;
  } catch {
    return null;
  }
}

const MOST_LETTERS = 100;

/** Returns the first NVIDIA GPU and the version of its driver, for the operator; nothing if none answers. */
export async function findGpu(program = 'nvidia-smi'): Promise<Pick<HostCapabilities, 'gpu' | 'driver'>> {
  const text = await output(program, ['--query-gpu=name,driver_version', '--format=csv,noheader']);
  const [gpu, driver] = cleanLine(text?.split('\n')[0] ?? '').split(', ');
  return { ...(gpu ? { gpu: gpu.slice(0, MOST_LETTERS) } : {}), ...(driver ? { driver: driver.slice(0, 64) } : {}) };
}

/** Returns ffmpeg's arguments for an input of frames without a header. */
export function rawFrames(
  format: string,
  { width, height }: { readonly width: number; readonly height: number },
  fps: number,
): readonly string[] {
  const size = ['-video_size', `${width}x${height}`, '-framerate', `${fps}`];
  return ['-f', 'rawvideo', '-pixel_format', format, ...size];
}
