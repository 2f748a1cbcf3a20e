import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  ARGUMENTS,
  COMMANDS,
  GAME_SETTINGS,
  START_SETTINGS,
  TRACES,
} from '../../../../../render-host/capture/cs2/game/commands.ts';
import { launchArgs } from '../../../../../render-host/capture/cs2/game/launch-args.ts';
import { linuxLaunchArgs } from '../../../../../render-host/capture/cs2/game/linux-launch.ts';

const DOC = fileURLToPath(new URL('../../../../../docs/cs2-commands.md', import.meta.url));
const TIMES = { start: 'a start', demo: 'a demo', seek: 'a seek', take: 'a take', after: 'after it' } as const;

const cell = (text: string): string => text.replaceAll('|', '\\|');

function tableOf(what: string, facts: typeof ARGUMENTS): string[] {
  const rows = facts.map(
    ({ form, by, reason, source }) => `| \`${cell(form)}\` | ${by} | ${cell(reason)} | ${cell(source)} |`,
  );
  return [`| ${what} | with | reason | source |`, '| --- | --- | --- | --- |', ...rows, ''];
}

/** `vitest -u` writes the page anew. */
it('docs/cs2-commands.md has every command with its reason and its source', async () => {
  const rows = COMMANDS.map(
    ({ form, when, by, reason, source }) =>
      `| \`${cell(form)}\` | ${by} | ${TIMES[when]} | ${cell(reason)} | ${cell(source)} |`,
  );
  const page = [
    '# What the game is told',
    '',
    'Every command and setting that the `cs2` renderer sends to the game, why, and who showed that it works. Nothing',
    'else is sent: tests of both ways to record hold each line to this table (`record-shots.test.ts`,',
    '`record-with-plugin.test.ts`). The page is made from `render-host/capture/cs2/game/commands.ts`, by its test and',
    '`vitest -u`.',
    '',
    '| command | taken by | with each | reason | source |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    '## How the game is started',
    '',
    'By HLAE on Windows, by the Steam Linux Runtime on Linux; a test holds both command lines to this table.',
    '',
    ...tableOf('argument', ARGUMENTS),
    '## What is written, read and waited for',
    '',
    ...tableOf('file or words', TRACES),
  ];
  await expect(page.join('\n')).toMatchFileSnapshot(DOC);
});

it('no command stands in the table twice, and every one has its reason and its source', () => {
  const forms = COMMANDS.map(({ form }) => form);
  expect(new Set(forms).size).toBe(forms.length);
  expect(COMMANDS.filter(({ reason, source }) => reason.length < 5 || source.length < 4)).toEqual([]);
});

it('cheats are allowed before the first command that is one', () => {
  expect(START_SETTINGS[0]).toBe('sv_cheats 1');
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
  const game = { gameDir: '/games/cs2', gameStatePort: 3123, gameArgs: [], footageCodec: '', demoPredict: 0 as const };
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
