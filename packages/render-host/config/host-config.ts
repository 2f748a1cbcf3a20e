import * as z from 'zod';
import { RESOLUTIONS, type Resolution } from '#domain/picture.ts';
import { readSigningSecret } from '#protocol/signed-message.ts';
import type { Cs2Settings } from '../capture/cs2/game/launch-args.ts';
import { STALL_WINDOW_MS } from '../download/download-demo.ts';
import { DEFAULT_WORK_DIR } from '../machine/work-dir.ts';
import type { RenderLimits } from '../pipeline/render-clip.ts';
import { type ConfigIssue, issueSentences, plainIssue, unknownSettings } from './settings-file.ts';

/**
 * Nearly lossless and cheap, because it is encoded again: 15 MB a second of a busy picture at 1080p60, where raw frames
 * have 370. docs/gpu-host.md has a better one for machines with NVENC.
 */
const FOOTAGE_CODEC = '-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv420p';

const Port = z.coerce.number().int().min(1).max(65_535);
/** A value between quotes in a console command must not end them. */
const Quotable = z
  .string()
  .min(1)
  .regex(/^[^"';\r\n{}]+$/, 'must not contain quotes, braces or semicolons');

/** The variables that choose and set up the renderer. docs/render-host.md and docs/gpu-host.md list them. */
export const rendererVariables = {
  TICKREEL_RENDERER: z.enum(['radar', 'cs2']).default('radar'),
  TICKREEL_RADAR_SOUND: z.enum(['on', 'off']).default('on'),
  TICKREEL_RADAR_DIR: z.string().min(1).optional(),
  TICKREEL_OUTLINE_DIR: z.string().min(1).optional(),
  TICKREEL_REPLAY_OUTLINES: z.enum(['on', 'off']).default('off'),
  TICKREEL_CS2_DIR: Quotable.optional(),
  TICKREEL_CS2_LAUNCHER: z.string().min(1).optional(),
  TICKREEL_CS2_HOOK: Quotable.optional(),
  TICKREEL_CS2_PLUGIN: z.string().min(1).optional(),
  TICKREEL_CS2_CONSOLE_PORT: Port.default(2121),
  TICKREEL_CS2_GAME_STATE_PORT: Port.default(3123),
  TICKREEL_CS2_ARGS: z.string().default(''),
  TICKREEL_CS2_FOOTAGE_CODEC: Quotable.default(FOOTAGE_CODEC),
  TICKREEL_CS2_DEMO_PREDICT: z.enum(['0', '2']).default('0'),
  TICKREEL_CS2_STRIP_DECALS: z.enum(['auto', 'always', 'never']).default('auto'),
  TICKREEL_CS2_JOBS_PER_START: z.coerce.number().int().min(1).max(1000).default(20),
};

type RendererEnvironment = z.infer<z.ZodObject<typeof rendererVariables>> & { readonly TICKREEL_WORK_DIR: string };

/** The settings of the `radar` renderer. */
export function radarSettings(env: RendererEnvironment): {
  readonly sound: boolean;
  /** Null if the operator has no map pictures. */
  readonly radarDir: string | null;
  /** Null if the operator has no outlines. */
  readonly outlineDir: string | null;
} {
  return {
    sound: env.TICKREEL_RADAR_SOUND === 'on',
    radarDir: env.TICKREEL_RADAR_DIR ?? null,
    outlineDir: env.TICKREEL_OUTLINE_DIR ?? null,
  };
}

/** Checks the variables as a whole: `cs2` needs all of its settings. Complains about each that is missing. */
export function checkRenderer(env: RendererEnvironment, complain: (variable: string, message: string) => void): void {
  if (env.TICKREEL_RENDERER !== 'cs2') return;
  for (const variable of ['TICKREEL_CS2_DIR', 'TICKREEL_CS2_LAUNCHER'] as const) {
    if (env[variable] === undefined) complain(variable, 'is needed for the cs2 renderer');
  }
  if (env.TICKREEL_CS2_HOOK === undefined && env.TICKREEL_CS2_PLUGIN === undefined) {
    complain('TICKREEL_CS2_HOOK', 'is needed for the cs2 renderer on Windows, and TICKREEL_CS2_PLUGIN on Linux');
  }
  if (env.TICKREEL_CS2_HOOK !== undefined && env.TICKREEL_CS2_PLUGIN !== undefined) {
    complain('TICKREEL_CS2_PLUGIN', 'is for Linux, TICKREEL_CS2_HOOK for Windows: set one of them');
  }
  if (env.TICKREEL_CS2_CONSOLE_PORT === env.TICKREEL_CS2_GAME_STATE_PORT) {
    complain('TICKREEL_CS2_GAME_STATE_PORT', 'must differ from TICKREEL_CS2_CONSOLE_PORT');
  }
  if (!Quotable.safeParse(env.TICKREEL_WORK_DIR).success) {
    complain('TICKREEL_WORK_DIR', 'must not contain quotes, braces or semicolons for the cs2 renderer');
  }
}

/**
 * Returns the settings of the `cs2` renderer; null if `radar` was chosen.
 *
 * @throws for variables that `checkRenderer` complains about, because a host must never draw with another renderer than
 * the configured one.
 */
export function cs2Settings(env: RendererEnvironment): Cs2Settings | null {
  const { TICKREEL_CS2_DIR: gameDir, TICKREEL_CS2_LAUNCHER: launcher } = env;
  const { TICKREEL_CS2_HOOK: hookPath, TICKREEL_CS2_PLUGIN: pluginPath } = env;
  if (env.TICKREEL_RENDERER === 'radar') return null;
  if (gameDir === undefined || launcher === undefined || (hookPath ?? pluginPath) === undefined) {
    throw new Error('the cs2 renderer was chosen without all that it needs');
  }
  const game = {
    gameDir,
    launcher: [launcher] as const,
    gameStatePort: env.TICKREEL_CS2_GAME_STATE_PORT,
    gameArgs: env.TICKREEL_CS2_ARGS.split(/\s+/).filter((arg) => arg !== ''),
    footageCodec: env.TICKREEL_CS2_FOOTAGE_CODEC,
    demoPredict: env.TICKREEL_CS2_DEMO_PREDICT === '2' ? 2 : 0,
    stripDecals: env.TICKREEL_CS2_STRIP_DECALS,
  } as const;
  if (pluginPath !== undefined) return { ...game, recorder: 'plugin', pluginPath };
  const { TICKREEL_CS2_CONSOLE_PORT: consolePort, TICKREEL_CS2_JOBS_PER_START: jobsPerStart } = env;
  return { ...game, recorder: 'hlae', hookPath: hookPath ?? '', consolePort, jobsPerStart };
}

/**
 * Describes each setting of a host briefly, for `--help`. docs/render-host.md and docs/gpu-host.md say more. A setting
 * without a description does not compile (./host-config.ts).
 */
export const SETTING_HELP = {
  TICKREEL_URL: 'address of the service',
  TICKREEL_HOST_TOKEN: "the host's token",
  TICKREEL_HOST_TOKEN_FILE: 'where `register` leaves the token, and the host finds it',
  TICKREEL_REGISTRATION_TOKEN: 'what `register` shows the service',
  TICKREEL_WORK_DIR: 'where jobs keep their files while they are worked on',
  TICKREEL_MAX_RESOLUTION: 'greatest height of a picture, 1080 or 1440',
  TICKREEL_MAX_FPS: 'most frames a second, 5 to 120',
  TICKREEL_MIN_FREE_MB: 'with less free space than this the host claims nothing',
  TICKREEL_KEEP_MB: 'most that demos take which are kept for another clip; 0 keeps none',
  TICKREEL_DRAIN_S: 'seconds that a stopping host may take to finish its clip',
  TICKREEL_SERVE: 'listens for jobs there instead of asking for them',
  TICKREEL_SERVE_ADDRESS: 'the address to listen on',
  TICKREEL_PUSH_SECRET: 'what grants are signed with; needed with TICKREEL_SERVE',
  TICKREEL_METRICS_PORT: 'serves /metrics and /healthz there',
  TICKREEL_METRICS_ADDRESS: 'the address to serve them on',
  TICKREEL_MAX_DEMO_MB: 'largest file that is downloaded',
  TICKREEL_DOWNLOAD_TIMEOUT_S: 'seconds for a download',
  TICKREEL_MIN_DOWNLOAD_KB_S: 'slowest download, over 20 seconds',
  TICKREEL_MAX_UNPACKED_MB: 'most that comes out of an archive',
  TICKREEL_UNPACK_TIMEOUT_S: 'seconds for unpacking',
  TICKREEL_PARSE_MEMORY_MB: "memory of the parser's process",
  TICKREEL_PARSE_TIMEOUT_S: 'seconds for parsing',
  TICKREEL_MAX_FRAME_MB: 'largest frame of a demo',
  TICKREEL_MAX_GAP_TICKS: 'most ticks that a recording jumps over',
  TICKREEL_MAX_MATCH_MB: 'most that is read from a demo, but where players were',
  TICKREEL_ENCODE_STALL_S: 'longest wait for the next frame',
  TICKREEL_MAX_CLIP_S: 'longest clip',
  TICKREEL_MAX_CLIP_FRAMES: 'most frames of a clip',
  TICKREEL_MAX_CLIP_MB: 'largest clip',
  LOG_LEVEL: 'trace, debug, info, warn, error or silent',
  FFMPEG_PATH: 'an ffmpeg to use',
  TICKREEL_RENDERER: 'radar or cs2',
  TICKREEL_RADAR_SOUND: 'on or off',
  TICKREEL_RADAR_DIR: 'pictures of maps, out of your own copy of the game',
  TICKREEL_OUTLINE_DIR: 'outlines of maps, which `maps import` writes',
  TICKREEL_REPLAY_OUTLINES: 'whether replays, which anybody can load, have the outlines: on or off',
  TICKREEL_CS2_DIR: "the game's folder; needed for cs2",
  TICKREEL_CS2_LAUNCHER: 'HLAE, on Linux the Steam Linux Runtime; needed for cs2',
  TICKREEL_CS2_HOOK: "HLAE's library for the game; needed for cs2 on Windows",
  TICKREEL_CS2_PLUGIN: 'the plugin for the game; needed for cs2 on Linux',
  TICKREEL_CS2_CONSOLE_PORT: "where the game's console listens",
  TICKREEL_CS2_GAME_STATE_PORT: 'port for the game’s reports of whom it shows',
  TICKREEL_CS2_ARGS: 'further arguments for the game',
  TICKREEL_CS2_FOOTAGE_CODEC: 'how ffmpeg encodes footage',
  TICKREEL_CS2_DEMO_PREDICT: 'cl_demo_predict: 0 or 2',
  TICKREEL_CS2_STRIP_DECALS: 'remove the message that games since July 2026 stop at: auto, always or never',
  TICKREEL_CS2_JOBS_PER_START: 'clips before the game is restarted',
} as const;

/** The settings as `--help` lists them. */
export function settingsHelp(): string {
  const names = Object.keys(SETTING_HELP);
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.entries(SETTING_HELP).map(([name, words]) => `  ${name.padEnd(width)}  ${words}`);
  return [
    '',
    'Settings, in the environment or in a file, one NAME=value a line (the environment wins):',
    ...lines,
  ].join('\n');
}

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
