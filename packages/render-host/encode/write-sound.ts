import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Failure, failure } from '#domain/failure.ts';
import { childEnvironment } from '../machine/child-environment.ts';
import { programEnd } from '../machine/program.ts';
import type { Ffmpeg } from './ffmpeg.ts';

/** The loudness of a clip by EBU R 128. */
export interface Loudness {
  readonly ok: true;
  /** LUFS of the whole clip, without its silences; -70 for silence alone. */
  readonly integrated: number;
}

export interface SoundInput {
  readonly ffmpeg: Ffmpeg;
  /** Interleaved stereo at 48 kHz, 4 bytes a sample. */
  readonly parts: Iterable<Float32Array>;
  /** A WAV file of 16 bits a sample. An existing one is replaced. */
  readonly outPath: string;
  readonly signal: AbortSignal;
}

/** Writes sound to a file, and measures its loudness. */
export async function writeSound(input: SoundInput): Promise<Loudness | Failure<'cs2_unavailable' | 'render_failed'>> {
  const child = spawn(input.ffmpeg.path, soundFileArgs(input.outPath), {
    env: childEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
    signal: AbortSignal.any([input.signal, AbortSignal.timeout(LONGEST_MS)]),
    windowsHide: true,
  });
  const ended = programEnd(child, 'program that measures sound');
  let report = '';
  child.stderr.on('data', (text: string) => {
    report = (report + text).slice(-REPORT_CHARACTERS);
  });
  child.stdin.on('error', () => {});
  for (const part of input.parts) {
    if (child.exitCode !== null || !child.stdin.writable) break;
    const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    // The loop waits for the disk and the program, and lets heartbeats go on.
    if (!child.stdin.write(bytes)) await Promise.race([once(child.stdin, 'drain'), ended]);
  }
  child.stdin.end();
  const fault = await ended;
  input.signal.throwIfAborted();
  if (fault !== null) return failure(fault.isMachineError ? 'cs2_unavailable' : 'render_failed', fault.detail);
  const integrated = Number(/I:\s+(-?[\d.]+) LUFS/.exec(report.slice(report.lastIndexOf('Summary:')))?.[1] ?? SILENT);
  return { ok: true, integrated };
}

const SILENT = -70;
/** The timeout of writing sound, which is some fifty times as fast as playing it. */
const LONGEST_MS = 600_000;
const REPORT_CHARACTERS = 2000;

function soundFileArgs(outPath: string): string[] {
  return [
    ...['-hide_banner', '-nostats', '-y', '-f', 'f32le', '-ar', '48000', '-ac', '2', '-i', 'pipe:0'],
    ...['-af', 'ebur128=framelog=verbose', '-c:a', 'pcm_s16le', '-f', 'wav', outPath],
  ];
}
