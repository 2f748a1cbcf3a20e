import { spawn } from 'node:child_process';
import { childEnvironment } from '../../../machine/child-environment.ts';
import { programEnd } from '../../../machine/program.ts';
import { MachineError } from '../../../machine/system-error.ts';

export interface DecodeInput {
  readonly ffmpegPath: string;
  readonly path: string;
  /** The size of the decoded frames in pixels. A file of another size is scaled. */
  readonly width: number;
  readonly height: number;
  /** Where to begin, in seconds: at the first frame at or after it. */
  readonly fromSeconds?: number;
  /** The most frames to decode. */
  readonly limit: number;
}

/**
 * Decodes a video file frame by frame, no faster than the caller reads. Each frame is RGBA, top row first, in memory
 * that the next frame reuses. Ends early once the signal aborts.
 *
 * @throws if the file cannot be decoded; a `MachineError` if this machine is at fault. A file that is cut off yields
 * its complete frames.
 */
export async function* decodeFrames(input: DecodeInput, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (signal.aborted) return;
  const { width, height, fromSeconds = 0, limit } = input;
  const seek = fromSeconds > 0 ? ['-ss', fromSeconds.toFixed(6)] : [];
  const child = spawn(
    input.ffmpegPath,
    [
      ...['-hide_banner', '-loglevel', 'error', '-nostdin', ...seek, '-i', input.path, '-an'],
      ...['-vf', `scale=${width}:${height}`, '-frames:v', `${limit}`, '-f', 'rawvideo', '-pix_fmt', 'rgba', 'pipe:1'],
    ],
    { env: childEnvironment(), stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true },
  );
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  const ended = programEnd(child, 'decoder');
  const frame = new Uint8Array(width * height * 4);
  let filled = 0;
  let frames = 0;
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + frame.length - filled);
        frame.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < frame.length) continue;
        filled = 0;
        frames++;
        yield frame;
      }
    }
    const failure = await ended;
    if (signal.aborted) return;
    if (failure?.isMachineError) throw new MachineError(failure.detail);
    if (failure !== null && frames === 0) throw new Error(failure.detail);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}
