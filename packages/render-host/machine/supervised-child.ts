import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { Worker } from 'node:worker_threads';
import { bareEnvironment, isCrash, reportsMachineError } from './program.ts';

const LOOK_MS = 100;

/**
 * Calls `onOver` once a process uses more than `limit` bytes, including shared libraries and buffers outside of its
 * heap. Checks ten times a second, so the process may exceed the limit by what it allocates in that time. Returns a
 * function that ends the watch. Works on Linux only.
 */
export function watchMemory(pid: number | undefined, limit: number, onOver: () => void): () => void {
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024 > limit) onOver();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

export interface ChildTask {
  /** The module that the process runs. */
  readonly module: URL;
  readonly args: readonly string[];
  /** What it does, for texts: `parsing`. */
  readonly what: string;
  /** All memory of the process in megabytes. Half of it is for its JavaScript heap. */
  readonly memoryMegabytes: number;
  /** Its longest time in milliseconds; without it there is none. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
  /** Gets the `fraction` of each message that has one. */
  readonly onProgress?: (fraction: number) => void;
}

/** Why a process ended without an answer. */
export interface ChildFault {
  readonly type: 'died';
  readonly detail: string;
  /** Whether the machine is at fault, not the input. */
  readonly isMachineError: boolean;
}

const MEGABYTE = 1024 ** 2;
const STDERR_KEPT = 2000;

/**
 * Runs work on a file that nobody trusts in a process of its own. Input that crashes it, exhausts its memory or never
 * ends costs only that process. It gets no environment, so no credentials of the host.
 *
 * Resolves after its end with its answer, the message that has no `fraction`, or with why there is none. A process that
 * is killed from outside, as the system does without memory, is not the input's fault.
 *
 * @throws a system error if the process cannot be started.
 */
export function superviseChild<Answer extends { readonly type: string }>(
  task: ChildTask,
): Promise<Answer | ChildFault> {
  const { module, args, what, memoryMegabytes, timeoutMs, signal, onProgress } = task;
  const child = fork(module, args, {
    execArgv: [`--max-old-space-size=${Math.ceil(memoryMegabytes / 2)}`, '--disable-warning=ExperimentalWarning'],
    env: bareEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let overran: string | null = null;
    let answer: Answer | null = null;
    let complaint = '';
    const kill = () => child.kill('SIGKILL');
    const overrun = (how: string) => {
      overran ??= how;
      kill();
    };
    const timer = timeoutMs && setTimeout(() => overrun(`no end of ${what} after ${timeoutMs} ms`), timeoutMs);
    const endWatch = watchMemory(child.pid, memoryMegabytes * MEGABYTE, () => {
      overrun(`out of memory: ${what} took more than ${memoryMegabytes} MB`);
    });
    signal.addEventListener('abort', kill, { once: true });
    const finish = () => {
      clearTimeout(timer);
      endWatch();
      signal.removeEventListener('abort', kill);
    };

    child.stderr?.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-STDERR_KEPT);
    });
    child.on('message', (message: Answer | { readonly fraction: number }) => {
      if ('fraction' in message) return onProgress?.(message.fraction);
      answer = message;
      kill();
    });
    child.on('error', (error) => {
      finish();
      reject(error);
    });
    child.on('close', (code, killedBy) => {
      finish();
      if (answer !== null) resolve(answer);
      else if (overran !== null) resolve({ type: 'died', detail: overran, isMachineError: false });
      else resolve(crash(what, code, killedBy, complaint));
    });
  });
}

function crash(what: string, code: number | null, killedBy: NodeJS.Signals | null, complaint: string): ChildFault {
  const isFull = /JavaScript heap out of memory/.test(complaint);
  // Node prints the error above its stack.
  const reason = isFull ? 'out of memory' : (complaint.split('\n').find((line) => /Error/.test(line)) ?? '');
  const detail = `the process for ${what} died (${killedBy ?? `exit ${code}`})${reason === '' ? '' : `: ${reason}`}`;
  return { type: 'died', detail, isMachineError: killedBy === null ? reportsMachineError(reason) : !isCrash(killedBy) };
}

/**
 * Sends the answer of a process that `superviseChild` runs, which then waits to be killed: a process of Node.js that
 * ends by itself can wait for ever for its own threads (nodejs/node issue 54918). A killed process does not write its
 * compile cache, so it is written before.
 */
export function sendAnswer<Answer extends object>(answer: Answer): void {
  flushCompileCache();
  process.send?.(answer);
}

/** Ends this process when its parent has ended. */
export function endWithParent(): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}

/**
 * Runs a module in a thread, which gets `task` and no environment, and resolves with its one message. Takes
 * `memoryMegabytes` of heap at most. The thread ends with the call.
 *
 * @throws the errors of the thread, and an `AbortError` if aborted.
 */
export async function runThread<Message>(
  module: URL,
  task: unknown,
  memoryMegabytes: number,
  signal: AbortSignal,
): Promise<Message> {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMegabytes };
  const worker = new Worker(module, { workerData: task, env: bareEnvironment(), resourceLimits });
  try {
    const [message] = await once(worker, 'message', { signal });
    return message;
  } finally {
    await worker.terminate();
  }
}
