import * as z from 'zod';
import { RESOLUTIONS, type Resolution } from '#domain/picture.ts';
import { readSigningSecret } from '#protocol/signed-message.ts';
import type { Cs2Settings } from '../capture/cs2/game/cs2-settings.ts';
import { DEFAULT_WORK_DIR } from '../machine/work-dir.ts';
import type { RenderLimits } from '../pipeline/render-clip.ts';
import { limitSettings, limitVariables } from './limit-settings.ts';
import { checkRenderer, cs2Settings, radarSettings, rendererVariables } from './renderer-settings.ts';
import { SETTING_HELP } from './setting-help.ts';
import { type ConfigIssue, issueSentences, plainIssue, unknownSettings } from './setting-issues.ts';

/**
 * The default is enough for most clips. Service managers of tools/deploy/ wait half a minute longer, so that the job
 * can be handed back.
 */
export const DEFAULT_DRAIN_S = 300;

/** The environment of a render host. docs/render-host.md and docs/gpu-host.md list it. */
const Variables = z.object({
  /** Address of the service. */
  TICKREEL_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .transform((url) => url.replace(/\/+$/, '')),
  /** Defaults to the token in the file that `register` wrote. */
  TICKREEL_HOST_TOKEN: z.string().startsWith('tr_host_', 'must be a host token'),
  /** Where jobs keep their files while they run. */
  TICKREEL_WORK_DIR: z.string().min(1).default(DEFAULT_WORK_DIR),
  TICKREEL_MAX_RESOLUTION: z.coerce.number().pipe(z.literal(RESOLUTIONS)).default(1440),
  TICKREEL_MAX_FPS: z.coerce.number().int().min(5).max(120).default(120),
  /** With less free space than this on the disk of the work folder, the host claims nothing. */
  TICKREEL_MIN_FREE_MB: z.coerce.number().int().min(0).default(1024),
  /** Disk space for cached demos and what was read from them. */
  TICKREEL_KEEP_MB: z.coerce
    .number()
    .int()
    .min(0)
    .max(1024 ** 2)
    .default(4096),
  /** Seconds that a stopping host may take to finish its clip. Then it hands the job back. */
  TICKREEL_DRAIN_S: z.coerce.number().min(0).max(86_400).default(DEFAULT_DRAIN_S),
  /** Where metrics and health are served; nowhere if unset. */
  TICKREEL_METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  TICKREEL_METRICS_ADDRESS: z.string().min(1).default('127.0.0.1'),
  /** Where the host receives its jobs; if unset, it polls for them. */
  TICKREEL_SERVE: z.coerce.number().int().min(0).max(65_535).optional(),
  TICKREEL_SERVE_ADDRESS: z.string().min(1).optional(),
  TICKREEL_PUSH_SECRET: z
    .string()
    .refine((text) => readSigningSecret(text) !== null, 'must be a push secret')
    .optional(),
  ...limitVariables,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  ...rendererVariables,
});

const Environment = Variables.superRefine((env, context) => {
  const complain = (variable: string, message: string) =>
    context.addIssue({ code: 'custom', path: [variable], message });
  checkRenderer(env, complain);
  if (env.TICKREEL_SERVE !== undefined && env.TICKREEL_PUSH_SECRET === undefined) {
    complain('TICKREEL_PUSH_SECRET', 'is needed with TICKREEL_SERVE');
  }
});

export interface HostConfig {
  readonly serviceUrl: string;
  readonly token: string;
  readonly workDir: string;
  readonly maxResolution: Resolution;
  readonly maxFps: number;
  readonly minFreeBytes: number;
  readonly keptBytes: number;
  readonly drainMs: number;
  readonly limits: RenderLimits;
  /** Null if no metrics are served. */
  readonly metrics: { readonly port: number; readonly address: string } | null;
  /** Null for a host that polls. */
  readonly serve: { readonly port: number; readonly address: string | undefined; readonly secret: string } | null;
  readonly logLevel: string;
  readonly radar: ReturnType<typeof radarSettings>;
  /** The folder of the outlines that replays may have; null for none. */
  readonly replayOutlineDir: string | null;
  /** Null for the `radar` renderer. */
  readonly cs2: Cs2Settings | null;
}

/** Settings that are read elsewhere: where ffmpeg is, and how a machine registers. */
type OtherName = 'FFMPEG_PATH' | 'TICKREEL_HOST_TOKEN_FILE' | 'TICKREEL_REGISTRATION_TOKEN';
type SettingName = keyof z.infer<typeof Variables> | OtherName;
const KNOWN = Object.keys(SETTING_HELP satisfies Record<SettingName, string>);

/** `warnings` are sentences about settings without effect. */
export type HostConfigResult =
  | { readonly ok: true; readonly config: HostConfig; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly issues: readonly ConfigIssue[] };

/** Reads the configuration. An error message names each wrong variable at once. An empty variable counts as unset. */
export function loadHostConfig(environment: Record<string, string | undefined>): HostConfigResult {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const warnings = unknownSettings(set, KNOWN);
  const parsed = Environment.safeParse(set);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => plainIssue(issue, set));
    const sentences = [issueSentences(issues, set), ...warnings].join('\n');
    return { ok: false, message: `The settings of this host are wrong.\n${sentences}`, issues };
  }
  const env = parsed.data;
  return {
    ok: true,
    warnings,
    config: {
      serviceUrl: env.TICKREEL_URL,
      token: env.TICKREEL_HOST_TOKEN,
      workDir: env.TICKREEL_WORK_DIR,
      maxResolution: env.TICKREEL_MAX_RESOLUTION,
      maxFps: env.TICKREEL_MAX_FPS,
      minFreeBytes: env.TICKREEL_MIN_FREE_MB * 1024 ** 2,
      keptBytes: env.TICKREEL_KEEP_MB * 1024 ** 2,
      drainMs: env.TICKREEL_DRAIN_S * 1000,
      limits: limitSettings(env),
      metrics:
        env.TICKREEL_METRICS_PORT === undefined
          ? null
          : { port: env.TICKREEL_METRICS_PORT, address: env.TICKREEL_METRICS_ADDRESS },
      serve: serveSettings(env),
      logLevel: env.LOG_LEVEL,
      radar: radarSettings(env),
      replayOutlineDir: env.TICKREEL_REPLAY_OUTLINES === 'on' ? (env.TICKREEL_OUTLINE_DIR ?? null) : null,
      cs2: cs2Settings(env),
    },
  };
}

function serveSettings(env: z.infer<typeof Variables>): HostConfig['serve'] {
  const { TICKREEL_SERVE: port, TICKREEL_SERVE_ADDRESS: address, TICKREEL_PUSH_SECRET: secret } = env;
  return port === undefined || secret === undefined ? null : { port, address, secret };
}
