import * as z from 'zod';
import type { Cs2Settings } from '../capture/cs2/game/cs2-settings.ts';

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
