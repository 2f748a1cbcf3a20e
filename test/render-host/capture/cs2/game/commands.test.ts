import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { COMMANDS, GAME_SETTINGS, START_SETTINGS } from '../../../../../render-host/capture/cs2/game/commands.ts';

const DOC = fileURLToPath(new URL('../../../../../docs/cs2-commands.md', import.meta.url));
const TIMES = { start: 'a start', demo: 'a demo', seek: 'a seek', take: 'a take', after: 'after it' } as const;

/** `vitest -u` writes the page anew. */
it('docs/cs2-commands.md has every command with its reason and its source', async () => {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
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
