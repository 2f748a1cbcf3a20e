import * as z from 'zod';
import { STALL_WINDOW_MS } from '../download/download-demo.ts';
import type { RenderLimits } from '../pipeline/render-clip.ts';

const MEGABYTE = 1024 ** 2;

const amount = (most: number) => z.coerce.number().int().min(1).max(most).optional();

/** Limits of a job on this machine. Each stage has its own default; docs/render-host.md lists them. */
export const limitVariables = {
  TICKREEL_MAX_DEMO_MB: amount(64 * 1024),
  TICKREEL_DOWNLOAD_TIMEOUT_S: amount(86_400),
  TICKREEL_MIN_DOWNLOAD_KB_S: amount(1024 ** 2),
  TICKREEL_MAX_UNPACKED_MB: amount(64 * 1024),
  TICKREEL_UNPACK_TIMEOUT_S: amount(86_400),
  TICKREEL_PARSE_MEMORY_MB: amount(64 * 1024),
  TICKREEL_PARSE_TIMEOUT_S: amount(86_400),
  TICKREEL_MAX_FRAME_MB: amount(1024),
  TICKREEL_MAX_GAP_TICKS: amount(100_000_000),
  TICKREEL_MAX_MATCH_MB: amount(1024),
  TICKREEL_ENCODE_STALL_S: amount(86_400),
  TICKREEL_MAX_CLIP_S: amount(1_000_000),
  TICKREEL_MAX_CLIP_FRAMES: amount(100_000_000),
  TICKREEL_MAX_CLIP_MB: amount(64 * 1024),
};

type LimitEnvironment = z.infer<z.ZodObject<typeof limitVariables>>;

export function limitSettings(env: LimitEnvironment): RenderLimits {
  return {
    download: {
      ...setting('maxBytes', env.TICKREEL_MAX_DEMO_MB, MEGABYTE),
      ...setting('deadlineMs', env.TICKREEL_DOWNLOAD_TIMEOUT_S, 1000),
      ...setting('stallMinBytes', env.TICKREEL_MIN_DOWNLOAD_KB_S, (1024 * STALL_WINDOW_MS) / 1000),
    },
    decompress: {
      ...setting('maxBytes', env.TICKREEL_MAX_UNPACKED_MB, MEGABYTE),
      ...setting('timeoutMs', env.TICKREEL_UNPACK_TIMEOUT_S, 1000),
    },
    parse: {
      ...setting('memoryMegabytes', env.TICKREEL_PARSE_MEMORY_MB, 1),
      ...setting('timeoutMs', env.TICKREEL_PARSE_TIMEOUT_S, 1000),
      ...setting('frameBytes', env.TICKREEL_MAX_FRAME_MB, MEGABYTE),
      ...setting('gapTicks', env.TICKREEL_MAX_GAP_TICKS, 1),
      ...setting('matchBytes', env.TICKREEL_MAX_MATCH_MB, MEGABYTE),
    },
    clip: {
      ...setting('seconds', env.TICKREEL_MAX_CLIP_S, 1),
      ...setting('frames', env.TICKREEL_MAX_CLIP_FRAMES, 1),
    },
    encode: {
      ...setting('stallMs', env.TICKREEL_ENCODE_STALL_S, 1000),
      ...setting('maxBytes', env.TICKREEL_MAX_CLIP_MB, MEGABYTE),
    },
  };
}

function setting<Name extends string>(
  name: Name,
  value: number | undefined,
  unit: number,
): Partial<Record<Name, number>> {
  return value === undefined ? {} : ({ [name]: value * unit } as Record<Name, number>);
}
