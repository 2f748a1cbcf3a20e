import * as z from 'zod';
import { RESOLUTIONS } from '#domain/clip/render-order.ts';
import { readSigningSecret } from '#protocol/lib/signed-message.ts';
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

const Text = z.string().min(1);
const within = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const Port = within(1, 65_535);
const ServedPort = within(0, 65_535);
/** A value between quotes in a console command must not end them. */
const Quotable = z
  .string()
  .min(1)
  .regex(/^[^"';\r\n{}]+$/, 'must not contain quotes, braces or semicolons');

/** The variables that choose and set up the renderer. docs/render-host.md and docs/gpu-host.md list them. */
export const rendererVariables = {
  TICKREEL_RENDERER: z.enum(['radar', 'cs2']).default('radar').describe('radar or cs2'),
  TICKREEL_RADAR_SOUND: z.enum(['on', 'off']).default('on').describe('on or off'),
  TICKREEL_RADAR_DIR: Text.optional().describe('pictures of maps, out of your own copy of the game'),
  TICKREEL_OUTLINE_DIR: Text.optional().describe('outlines of maps, which `maps import` writes'),
  TICKREEL_REPLAY_OUTLINES: z
    .enum(['on', 'off'])
    .default('off')
    .describe('whether replays, which anybody can load, have the outlines: on or off'),
  TICKREEL_CS2_DIR: Quotable.optional().describe("the game's folder; needed for cs2"),
  TICKREEL_CS2_LAUNCHER: Text.optional().describe('HLAE, on Linux the Steam Linux Runtime; needed for cs2'),
  TICKREEL_CS2_HOOK: Quotable.optional().describe("HLAE's library for the game; needed for cs2 on Windows"),
  TICKREEL_CS2_PLUGIN: Text.optional().describe('the plugin for the game; needed for cs2 on Linux'),
  TICKREEL_CS2_CONSOLE_PORT: Port.default(2121).describe("where the game's console listens"),
  TICKREEL_CS2_GAME_STATE_PORT: Port.default(3123).describe('port for the game’s reports of whom it shows'),
  TICKREEL_CS2_ARGS: z.string().default('').describe('further arguments for the game'),
  TICKREEL_CS2_FOOTAGE_CODEC: Quotable.default(FOOTAGE_CODEC).describe('how ffmpeg encodes footage'),
  TICKREEL_CS2_DEMO_PREDICT: z.enum(['0', '2']).default('0').describe('cl_demo_predict: 0 or 2'),
  TICKREEL_CS2_STRIP_DECALS: z
    .enum(['auto', 'always', 'never'])
    .default('auto')
    .describe('remove the message that games since July 2026 stop at: auto, always or never'),
  TICKREEL_CS2_FILM_HEIGHT: within(720, 2560)
    .multipleOf(2)
    .optional()
    .describe('greatest height in pixels at which the game films, at most that of its screen: 720 to 2560'),
  TICKREEL_CS2_JOBS_PER_START: within(1, 1000).default(20).describe('clips before the game is restarted'),
};

type RendererEnvironment = z.infer<z.ZodObject<typeof rendererVariables>> & {
  readonly TICKREEL_WORK_DIR: string;
  readonly TICKREEL_MAX_RESOLUTION: number;
};

/** Checks the variables as a whole: `cs2` needs all of its settings. Complains about each that is missing. */
function checkRenderer(env: RendererEnvironment, complain: (variable: string, message: string) => void): void {
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
    filmHeight: env.TICKREEL_CS2_FILM_HEIGHT ?? env.TICKREEL_MAX_RESOLUTION,
  } as const;
  if (pluginPath !== undefined) return { ...game, recorder: 'plugin', pluginPath };
  const { TICKREEL_CS2_CONSOLE_PORT: consolePort, TICKREEL_CS2_JOBS_PER_START: jobsPerStart } = env;
  return { ...game, recorder: 'hlae', hookPath: hookPath ?? '', consolePort, jobsPerStart };
}

const MEGABYTE = 1024 ** 2;
const KILOBYTE_A_SECOND = (1024 * STALL_WINDOW_MS) / 1000;

/**
 * Limits of a job on this machine, each with the stage and the limit of it that it sets, its unit, its greatest value
 * and its words. Each stage has its own default; docs/render-host.md lists them.
 */
const LIMITS = [
  ['TICKREEL_MAX_DEMO_MB', 'download', 'maxBytes', MEGABYTE, 64 * 1024, 'largest file that is downloaded'],
  ['TICKREEL_DOWNLOAD_TIMEOUT_S', 'download', 'deadlineMs', 1000, 86_400, 'seconds for a download'],
  [
    'TICKREEL_MIN_DOWNLOAD_KB_S',
    'download',
    'stallMinBytes',
    KILOBYTE_A_SECOND,
    MEGABYTE,
    'slowest download, over 20 seconds',
  ],
  ['TICKREEL_MAX_UNPACKED_MB', 'decompress', 'maxBytes', MEGABYTE, 64 * 1024, 'most that comes out of an archive'],
  ['TICKREEL_UNPACK_TIMEOUT_S', 'decompress', 'timeoutMs', 1000, 86_400, 'seconds for unpacking'],
  ['TICKREEL_PARSE_MEMORY_MB', 'parse', 'memoryMegabytes', 1, 64 * 1024, "memory of the parser's process"],
  ['TICKREEL_PARSE_TIMEOUT_S', 'parse', 'timeoutMs', 1000, 86_400, 'seconds for parsing'],
  ['TICKREEL_MAX_FRAME_MB', 'parse', 'frameBytes', MEGABYTE, 1024, 'largest frame of a demo'],
  ['TICKREEL_MAX_GAP_TICKS', 'parse', 'gapTicks', 1, 100_000_000, 'most ticks that a recording jumps over'],
  [
    'TICKREEL_MAX_MATCH_MB',
    'parse',
    'matchBytes',
    MEGABYTE,
    1024,
    'most that is read from a demo, but where players were',
  ],
  ['TICKREEL_ENCODE_STALL_S', 'encode', 'stallMs', 1000, 86_400, 'longest wait for the next frame'],
  ['TICKREEL_MAX_CLIP_S', 'clip', 'seconds', 1, 1_000_000, 'longest clip'],
  ['TICKREEL_MAX_CLIP_FRAMES', 'clip', 'frames', 1, 100_000_000, 'most frames of a clip'],
  ['TICKREEL_MAX_CLIP_MB', 'encode', 'maxBytes', MEGABYTE, 64 * 1024, 'largest clip'],
] as const satisfies readonly (readonly [string, keyof RenderLimits, string, number, number, string])[];

type LimitName = (typeof LIMITS)[number][0];

const Amount = z.coerce.number().int().min(1).optional();
const limitVariables = Object.fromEntries(
  LIMITS.map(([name, , , , most, words]) => [name, within(1, most).optional().describe(words)]),
) as Record<LimitName, typeof Amount>;

function limitSettings(env: Readonly<Partial<Record<LimitName, number | undefined>>>): RenderLimits {
  const limits: Record<keyof RenderLimits, Record<string, number>> = {
    download: {},
    decompress: {},
    parse: {},
    clip: {},
    encode: {},
  };
  for (const [name, stage, limit, unit] of LIMITS) {
    const value = env[name];
    if (value !== undefined) limits[stage][limit] = value * unit;
  }
  return limits;
}

/**
 * The default is enough for most clips. Service managers of tools/deploy/ wait half a minute longer, so that the job
 * can be handed back.
 */
export const DEFAULT_DRAIN_S = 300;

/** The environment of a render host. docs/render-host.md and docs/gpu-host.md say more. */
const Variables = z.object({
  TICKREEL_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('address of the service'),
  TICKREEL_HOST_TOKEN: z.string().startsWith('tr_host_', 'must be a host token').describe("the host's token"),
  TICKREEL_WORK_DIR: Text.default(DEFAULT_WORK_DIR).describe('where jobs keep their files while they are worked on'),
  TICKREEL_MAX_RESOLUTION: z.coerce
    .number()
    .pipe(z.literal(RESOLUTIONS))
    .default(1440)
    .describe('greatest height of a picture, 1080 or 1440'),
  TICKREEL_MAX_FPS: within(5, 120).default(120).describe('most frames a second, 5 to 120'),
  TICKREEL_MIN_FREE_MB: z.coerce
    .number()
    .int()
    .min(0)
    .default(1024)
    .describe('with less free space than this the host claims nothing'),
  TICKREEL_KEEP_MB: within(0, MEGABYTE)
    .default(4096)
    .describe('most that demos take which are kept for another clip; 0 keeps none'),
  TICKREEL_DRAIN_S: z.coerce
    .number()
    .min(0)
    .max(86_400)
    .default(DEFAULT_DRAIN_S)
    .describe('seconds that a stopping host may take to finish its clip'),
  TICKREEL_SERVE: ServedPort.optional().describe('listens for jobs there instead of asking for them'),
  TICKREEL_SERVE_ADDRESS: Text.optional().describe('the address to listen on'),
  TICKREEL_PUSH_SECRET: z
    .string()
    .refine((text) => readSigningSecret(text) !== null, 'must be a push secret')
    .optional()
    .describe('what grants are signed with; needed with TICKREEL_SERVE'),
  TICKREEL_METRICS_PORT: ServedPort.optional().describe('serves /metrics and /healthz there'),
  TICKREEL_METRICS_ADDRESS: Text.default('127.0.0.1').describe('the address to serve them on'),
  ...limitVariables,
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('trace, debug, info, warn, error or silent'),
  ...rendererVariables,
});

/** Each setting with its words. The first three are read elsewhere. */
export const SETTING_HELP: Readonly<Record<string, string>> = {
  TICKREEL_HOST_TOKEN_FILE: 'where `register` leaves the token, and the host finds it',
  TICKREEL_REGISTRATION_TOKEN: 'what `register` shows the service',
  FFMPEG_PATH: 'an ffmpeg to use',
  ...Object.fromEntries(Object.entries(Variables.shape).map(([name, { description = '' }]) => [name, description])),
};

/** The settings as `--help` lists them. */
export function settingsHelp(): string {
  const width = Math.max(...Object.keys(SETTING_HELP).map((name) => name.length));
  const lines = Object.entries(SETTING_HELP).map(([name, words]) => `  ${name.padEnd(width)}  ${words}`);
  const head = 'Settings, in the environment or in a file, one NAME=value a line (the environment wins):';
  return ['', head, ...lines].join('\n');
}

const Environment = Variables.superRefine((env, context) => {
  const complain = (variable: string, message: string) =>
    context.addIssue({ code: 'custom', path: [variable], message });
  checkRenderer(env, complain);
  if (env.TICKREEL_SERVE !== undefined && env.TICKREEL_PUSH_SECRET === undefined) {
    complain('TICKREEL_PUSH_SECRET', 'is needed with TICKREEL_SERVE');
  }
});

export type HostConfig = ReturnType<typeof configOf>;

/** `warnings` are sentences about settings without effect. */
export type HostConfigResult =
  | { readonly ok: true; readonly config: HostConfig; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly issues: readonly ConfigIssue[] };

/** Reads the configuration. An error message names each wrong variable at once. An empty variable counts as unset. */
export function loadHostConfig(environment: Record<string, string | undefined>): HostConfigResult {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const warnings = unknownSettings(set, Object.keys(SETTING_HELP));
  const parsed = Environment.safeParse(set);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => plainIssue(issue, set));
    const sentences = [issueSentences(issues, set), ...warnings].join('\n');
    return { ok: false, message: `The settings of this host are wrong.\n${sentences}`, issues };
  }
  return { ok: true, warnings, config: configOf(parsed.data) };
}

function configOf(env: z.infer<typeof Variables>) {
  const { TICKREEL_SERVE: servePort, TICKREEL_PUSH_SECRET: secret, TICKREEL_METRICS_PORT: metricsPort } = env;
  const outlineDir = env.TICKREEL_OUTLINE_DIR ?? null;
  return {
    serviceUrl: env.TICKREEL_URL,
    token: env.TICKREEL_HOST_TOKEN,
    workDir: env.TICKREEL_WORK_DIR,
    maxResolution: env.TICKREEL_MAX_RESOLUTION,
    maxFps: env.TICKREEL_MAX_FPS,
    minFreeBytes: env.TICKREEL_MIN_FREE_MB * MEGABYTE,
    keptBytes: env.TICKREEL_KEEP_MB * MEGABYTE,
    drainMs: env.TICKREEL_DRAIN_S * 1000,
    limits: limitSettings(env),
    /** Null if no metrics are served. */
    metrics: metricsPort === undefined ? null : { port: metricsPort, address: env.TICKREEL_METRICS_ADDRESS },
    /** Null for a host that polls. */
    serve:
      servePort === undefined || secret === undefined
        ? null
        : { port: servePort, address: env.TICKREEL_SERVE_ADDRESS, secret },
    logLevel: env.LOG_LEVEL,
    /** Folders of the operator's map pictures and outlines, null without one. */
    radar: { sound: env.TICKREEL_RADAR_SOUND === 'on', radarDir: env.TICKREEL_RADAR_DIR ?? null, outlineDir },
    /** The folder of the outlines that replays may have; null for none. */
    replayOutlineDir: env.TICKREEL_REPLAY_OUTLINES === 'on' ? outlineDir : null,
    /** Null for the `radar` renderer. */
    cs2: cs2Settings(env),
  };
}
