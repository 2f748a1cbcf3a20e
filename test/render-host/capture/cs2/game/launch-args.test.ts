import { expect, test } from 'vitest';
import { gameProgram, launchArgs } from '../../../../../render-host/capture/cs2/game/launch-args.ts';

const settings = {
  recorder: 'hlae' as const,
  ...{ gameDir: '/games/cs2', launcher: ['HLAE.exe'] as const, hookPath: '/hlae/AfxHookSource2.dll' },
  ...{ consolePort: 2121, gameStatePort: 3123, gameArgs: ['-dx11'], footageCodec: '-c:v libx264' },
  ...{ demoPredict: 2 as const, jobsPerStart: 1 },
};

test('HLAE is told its hook, the game’s program and one command line for the game', () => {
  const args = launchArgs(settings, { width: 2560, height: 1440 });
  const after = (name: string) => args[args.indexOf(name) + 1];
  expect(after('-hookDllPath')).toBe('/hlae/AfxHookSource2.dll');
  expect(after('-programPath')).toBe(gameProgram(settings));
  expect(gameProgram(settings)).toMatch(/^\/games\/cs2\/game\/bin\/win64\/cs2\.exe$/);
  expect(args.at(-2)).toBe('-cmdLine');
  const line = args.at(-1) ?? '';
  for (const part of [
    '-insecure',
    '-width 2560',
    '-height 1440',
    '-netconport 2121',
    '-afxFixNetCon',
    '+cl_demo_predict 2',
    '-language english',
  ])
    expect(` ${line} `).toContain(` ${part} `);
  expect(line).toMatch(/ -dx11$/);
});
