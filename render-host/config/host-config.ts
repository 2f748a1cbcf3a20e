import * as z from 'zod';
import { RESOLUTIONS, type Resolution } from '../../domain/picture.ts';
import type { Cs2Settings } from '../capture/cs2/game/cs2-settings.ts';
import { DEFAULT_WORK_DIR } from '../machine/work-dir.ts';
import type { RenderLimits } from '../pipeline/render-clip.ts';
import { limitSettings, limitVariables } from './limit-settings.ts';
import { checkRenderer, cs2Settings, radarSettings, rendererVariables } from './renderer-settings.ts';

/** The environment of a render host, as docs/render-host.md and docs/gpu-host.md list it. */
const Variables = z.object({
  /** Address of the service. */
  TICKREEL_URL: z
    .url({ protocol: /^https?$/, error: said('must be an http or https URL') })
    .transform((url) => url.replace(/\/+$/, '')),
  /** Or of the file that `register` has left. */
  TICKREEL_HOST_TOKEN: z.string({ error: said('must be a host token') }).startsWith('tr_host_', 'must be a host token'),
  /** Where jobs keep their files while they are worked on. */
  TICKREEL_WORK_DIR: z.string().min(1).default(DEFAULT_WORK_DIR),
  TICKREEL_MAX_RESOLUTION: z.coerce.number().pipe(z.literal(RESOLUTIONS)).default(1440),
  TICKREEL_MAX_FPS: z.coerce.number().int().min(5).max(120).default(120),
  /** Less free space than this on the disk of the work folder, and the host claims nothing. */
  TICKREEL_MIN_FREE_MB: z.coerce.number().int().min(0).default(1024),
  /** Where metrics and health are served; unless set, nowhere. */
  TICKREEL_METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  TICKREEL_METRICS_ADDRESS: z.string().min(1).default('127.0.0.1'),
  ...limitVariables,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  ...rendererVariables,
});

const Environment = Variables.superRefine((env, context) => {
  checkRenderer(env, (variable, message) => context.addIssue({ code: 'custom', path: [variable], message }));
});

export interface HostConfig {
  readonly serviceUrl: string;
  readonly token: string;
  readonly workDir: string;
  readonly maxResolution: Resolution;
  readonly maxFps: number;
  readonly minFreeBytes: number;
  readonly limits: RenderLimits;
  /** Null where none are asked for. */
  readonly metrics: { readonly port: number; readonly address: string } | null;
  readonly logLevel: string;
  readonly radar: ReturnType<typeof radarSettings>;
  /** Null for the `radar` renderer. */
  readonly cs2: Cs2Settings | null;
}

/** An error message that tells what is missing from what is wrong. */
function said(wrong: string): (issue: { readonly input: unknown }) => string {
  return ({ input }) => (input === undefined ? 'is required' : wrong);
}

/** A variable that is wrong, and how. */
export interface ConfigIssue {
  readonly variable: string;
  readonly message: string;
}

export type HostConfigResult =
  | { readonly ok: true; readonly config: HostConfig }
  | { readonly ok: false; readonly message: string; readonly issues: readonly ConfigIssue[] };

/** Reads the configuration; when it is wrong, one message names every variable at once. */
export function loadHostConfig(environment: Record<string, string | undefined>): HostConfigResult {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({ variable: path.join('.'), message }));
    return { ok: false, message: `The environment is wrong:\n${z.prettifyError(parsed.error)}`, issues };
  }
  const env = parsed.data;
  return {
    ok: true,
    config: {
      serviceUrl: env.TICKREEL_URL,
      token: env.TICKREEL_HOST_TOKEN,
      workDir: env.TICKREEL_WORK_DIR,
      maxResolution: env.TICKREEL_MAX_RESOLUTION,
      maxFps: env.TICKREEL_MAX_FPS,
      minFreeBytes: env.TICKREEL_MIN_FREE_MB * 1024 ** 2,
      limits: limitSettings(env),
      metrics:
        env.TICKREEL_METRICS_PORT === undefined
          ? null
          : { port: env.TICKREEL_METRICS_PORT, address: env.TICKREEL_METRICS_ADDRESS },
      logLevel: env.LOG_LEVEL,
      radar: radarSettings(env),
      cs2: cs2Settings(env),
    },
  };
}
