import type { ShotSound } from '../frames/frame-source.ts';

/** ffmpeg's arguments for the sound of a clip. */
export interface SoundArgs {
  /** Inputs after the frames. */
  readonly inputs: readonly string[];
  /** Filters and the encoding. */
  readonly output: readonly string[];
}

const SAMPLE_RATE = 48_000;

/**
 * Encodes AAC so that gunfire does not clip. ffmpeg's other coder makes its peaks up to 4 dB higher (ffmpeg 5) and is
 * slower; intensity stereo and noise shaping add up to 5 dB.
 */
export const AAC_ARGS = ['-c:a', 'aac', '-b:a', '192k', '-aac_coder', 'fast', '-aac_is', '0', '-aac_tns', '0'];

/**
 * Joins the shots' sounds, each exactly as long as its shot: recorders end a sound some milliseconds off the picture,
 * which would add up over many shots. A shot without sound is silent, because players and editors work better with a
 * silent track than with none. `firstInput` is ffmpeg's number of the first input.
 */
export function soundArgs(sounds: readonly ShotSound[], firstInput: number): SoundArgs {
  const inputs: string[] = [];
  const chains: string[] = [];
  for (const { path, delaySeconds = 0, seconds } of sounds) {
    const length = `atrim=end=${seconds.toFixed(6)},asetpts=N/SR/TB[s${chains.length}]`;
    if (path === null) {
      chains.push(`anullsrc=r=${SAMPLE_RATE}:cl=stereo,${length}`);
      continue;
    }
    const input = `[${firstInput + inputs.length / 2}:a]`;
    inputs.push('-i', path);
    const delay = Math.round(delaySeconds * 1000);
    const wait = delay > 0 ? `adelay=${delay}|${delay},` : '';
    chains.push(`${input}aresample=${SAMPLE_RATE},aformat=channel_layouts=stereo,${wait}apad,${length}`);
  }
  const joined = chains.map((_, i) => `[s${i}]`).join('');
  // Older builds refuse to join fewer than two.
  chains.push(chains.length === 1 ? `${joined}anull[sound]` : `${joined}concat=n=${sounds.length}:v=0:a=1[sound]`);
  return {
    inputs,
    output: [
      ...['-filter_complex', chains.join(';'), '-map', '0:v', '-map', '[sound]'],
      ...AAC_ARGS,
      ...['-ar', `${SAMPLE_RATE}`],
    ],
  };
}
