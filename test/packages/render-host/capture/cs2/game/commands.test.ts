import { expect, it } from 'vitest';
import { COMMANDS, GAME_SETTINGS, START_SETTINGS } from '#render-host/capture/cs2/game/commands.ts';

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
