import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { childEnvironment } from '../machine/child-environment.ts';
import { watchMemory } from '../machine/memory-watch.ts';
import { isCrash, programEnd } from '../machine/program.ts';
import { MachineError } from '../machine/system-error.ts';
import type { Parts } from './signal.ts';

/** Arguments of the sound between our programs: interleaved stereo at 48 kHz, 4 bytes a sample, without a header. */
export const RAW = ['-f', 'f32le', '-ar', '48000', '-ac', '2'];
/** A filter that reports the loudness by EBU R 128. */
export const MEASURE = 'ebur128=framelog=verbose';
/** Work on sound is some fifty times as fast as playing it, and takes some 50 MB. The report is at the end. */
const LIMITS = { ms: 3_600_000, bytes: 512 * 1024 ** 2, reportCharacters: 2000 };

/**
 * Runs ffmpeg on sound, with `input` on its standard input. Returns the loudness that `MEASURE` reports: LUFS without
 * silences, -70 for silence alone.
 *
 * @throws if ffmpeg fails or takes too much memory; a `MachineError` if this machine is at fault; the signal's reason
 * if aborted.
 */
export async function runSound(
  ffmpegPath: string,
  args: readonly string[],
  signal: AbortSignal,
  input: Parts | Iterable<Uint8Array> = [],
): Promise<number> {
  const child = spawn(ffmpegPath, ['-hide_banner', '-nostats', '-nostdin', '-y', ...args], {
    env: childEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMITS.ms)]),
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const ended = programEnd(child, 'program for sound');
  let report = '';
  child.stderr.on('data', (text: string) => {
    report = (report + text).slice(-LIMITS.reportCharacters);
  });
  let overran = false;
  const endWatch = watchMemory(child.pid, LIMITS.bytes, () => {
    overran = child.kill('SIGKILL');
  });
  child.stdin.on('error', () => {});
  try {
    for await (const { buffer, byteOffset, byteLength } of input) {
      if (!child.stdin.writable) break;
      const isRoom = child.stdin.write(new Uint8Array(buffer, byteOffset, byteLength));
      if (!isRoom) await Promise.race([once(child.stdin, 'drain').catch(() => {}), ended]);
    }
    child.stdin.end();
    const fault = await ended;
    signal.throwIfAborted();
    if (overran) throw new Error(`the program for sound took more than ${LIMITS.bytes} bytes of memory`);
    if (fault?.isMachineError && !isCrash(child.signalCode)) throw new MachineError(fault.detail);
    if (fault !== null) throw new Error(fault.detail);
  } finally {
    endWatch();
    child.kill('SIGKILL');
  }
  return Number(/I:\s+(-?[\d.]+) LUFS/.exec(report.slice(report.lastIndexOf('Summary:')))?.[1] ?? -70);
}
