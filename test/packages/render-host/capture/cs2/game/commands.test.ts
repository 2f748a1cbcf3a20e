import { expect, it } from 'vitest';
import { ARGUMENTS, COMMANDS, GAME_SETTINGS, START_SETTINGS } from '#render-host/capture/cs2/game/commands.ts';
import { launchArgs, linuxLaunchArgs } from '#render-host/capture/cs2/game/launch-args.ts';

it('each command is in the table once, with its reason and its source', () => {
  const forms = COMMANDS.map(({ form }) => form);
  expect(new Set(forms).size).toBe(forms.length);
  expect(COMMANDS.filter(({ reason, source }) => reason.length < 5 || source.length < 4)).toEqual([]);
});

it('hidden settings are unlocked and cheats allowed before the first command that needs it', () => {
  expect(START_SETTINGS.slice(0, 2)).toEqual(['mirv_cvar_unhide_all', 'sv_cheats 1']);
  expect(START_SETTINGS).toContain('tv_listen_voice_indices_h 0');
  expect(GAME_SETTINGS[0]).toBe('sv_cheats 1');
  expect(GAME_SETTINGS.filter((command) => command.startsWith('mirv_'))).toEqual([]);
});

/** Each option with what follows it. */
function optionsOf(args: readonly string[]): string[] {
  const options: string[] = [];
  for (const arg of args) {
    const last = options.at(-1);
    if (last === undefined || /^[-+]/.test(arg)) options.push(arg);
    else options[options.length - 1] = `${last} ${arg}`;
  }
  return options;
}

it('the game is started with what the table of arguments names, and with nothing else', () => {
  const game = {
    gameDir: '/games/cs2',
    gameStatePort: 3123,
    gameArgs: [],
    footageCodec: '',
    demoPredict: 0 as const,
    stripDecals: 'auto' as const,
  };
  const size = { width: 1920, height: 1080 };
  const hlae = launchArgs(
    {
      ...game,
      recorder: 'hlae',
      launcher: ['HLAE.exe'],
      hookPath: '/hlae/hook.dll',
      consolePort: 2121,
      jobsPerStart: 1,
    },
    size,
    'a1b2',
  );
  const own = optionsOf(hlae.slice(0, -1));
  const linux = { ...game, recorder: 'plugin' as const, launcher: ['run'] as const, pluginPath: '/libserver.so' };
  const lines = {
    HLAE: [...own.slice(0, -1), '-cmdLine …', ...optionsOf(hlae.at(-1)?.split(' ') ?? [])],
    plugin: optionsOf(linuxLaunchArgs(linux, size, '/work/a.dem')),
  };
  const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  for (const way of ['HLAE', 'plugin'] as const) {
    const forms = ARGUMENTS.filter(({ by }) => by === way || by === 'both').map(({ form }) => form);
    const patterns = forms.map((form) => new RegExp(`^${escaped(form).replaceAll(/<[^>]+>/g, '.+')}$`));
    expect(lines[way].filter((option) => !patterns.some((pattern) => pattern.test(option)))).toEqual([]);
    expect(forms.filter((_, i) => !lines[way].some((option) => patterns[i]?.test(option)))).toEqual([]);
  }
});
