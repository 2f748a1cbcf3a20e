import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { programEnd } from '#render-host/machine/program.ts';

const run = (script: string) =>
  programEnd(spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'pipe'] }), 'tool');

test('a program that ends well has not failed, whatever it said', async () => {
  expect(await run('console.error("no space left on device")')).toBeNull();
});

test.each([
  ['with a complaint of its own', 'console.error("bad data"); process.exit(3)', 'ended with code 3: bad data', false],
  ['silently', 'process.exit(1)', 'ended with code 1', false],
  [
    'for want of space',
    'console.error("No space left on device"); process.exit(1)',
    'ended with code 1: No space left on device',
    true,
  ],
  ['by a signal', 'process.kill(process.pid, "SIGKILL")', 'was ended by SIGKILL', true],
])('a program that fails %s', async (_, script, end, isMachineError) => {
  expect(await run(script)).toEqual({ detail: `the tool ${end}`, isMachineError });
});

test('a program that does not start is a machine error', async () => {
  const failure = await programEnd(spawn('/nowhere/tool', { stdio: ['ignore', 'ignore', 'pipe'] }), 'tool');
  expect(failure).toEqual({ detail: 'the tool did not start: spawn /nowhere/tool ENOENT', isMachineError: true });
});

test('of a program that talks much the end is kept', async () => {
  const failure = await run('process.stderr.write("x".repeat(5000) + "the end", () => process.exit(1))');
  expect(failure?.detail).toMatch(/^the tool ended with code 1: x{1993}the end$/);
});
