import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type Cs2Settings, checkRenderer, cs2Settings, rendererVariables } from '../capture/cs2/cs2-settings.ts';

/** The environment of a render host, as docs/render-host.md and docs/gpu-host.md list it. */
const Variables = z.object({
  /** Address of the service. */
  TICKREEL_URL: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
  TICKREEL_HOST_TOKEN: z.string().startsWith('tr_host_', 'must be a host token'),
  /** Where jobs keep their files while they are worked on. */
  TICKREEL_WORK_DIR: z.string().min(1).default(join(tmpdir(), 'tickreel-host')),
  TICKREEL_MAX_RESOLUTION: z.coerce
    .number()
    .pipe(z.literal([1080, 1440]))
    .default(1440),
  TICKREEL_MAX_FPS: z.coerce.number().int().min(5).max(120).default(120),
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
  readonly maxResolution: 1080 | 1440;
  readonly maxFps: number;
  readonly logLevel: string;
  /** Null for the `radar` renderer. */
  readonly cs2: Cs2Settings | null;
}

export type HostConfigResult = { ok: true; config: HostConfig } | { ok: false; message: string };

/** Reads the configuration; when it is wrong, one message names every variable at once. */
export function loadHostConfig(environment: Record<string, string | undefined>): HostConfigResult {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) return { ok: false, message: `The environment is wrong:\n${z.prettifyError(parsed.error)}` };
  const env = parsed.data;
  return {
    ok: true,
    config: {
      serviceUrl: env.TICKREEL_URL,
      token: env.TICKREEL_HOST_TOKEN,
      workDir: env.TICKREEL_WORK_DIR,
      maxResolution: env.TICKREEL_MAX_RESOLUTION,
      maxFps: env.TICKREEL_MAX_FPS,
      logLevel: env.LOG_LEVEL,
      cs2: cs2Settings(env),
    },
  };
}
