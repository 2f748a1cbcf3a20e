import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import {
  findGpu,
  isMachineError,
  isSystemError,
  MachineError,
  programEnd,
  reportsMachineError,
} from '#render-host/machine/program.ts';

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

/** Returns a fake of the driver's program. */
async function program(script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gpu-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'nvidia-smi');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o700);
  return path;
}

describe('the GPU of this machine', () => {
  it('is the first that the driver names', async () => {
    const driver = await program(
      '[ "$1 $2" = "--query-gpu=name,driver_version --format=csv,noheader" ] && printf "RTX 4070, 580.95\\nRTX 3060, 580.95\\n"',
    );
    expect(await findGpu(driver)).toEqual({ gpu: 'RTX 4070', driver: '580.95' });
  });

  it.each([
    ['nothing', 'true'],
    ['an error', 'echo "no devices were found"; exit 6'],
  ])('is not there where the driver says %s', async (_, script) => {
    expect(await findGpu(await program(script))).toEqual({});
  });

  it('is not there where there is no driver', async () => {
    expect(await findGpu(join(tmpdir(), 'no-such-program'))).toEqual({});
  });
});

describe('a machine error', () => {
  it('is a system call that fails, what another program or thread reports, and a shortage', async () => {
    const missing: unknown = await readFile('/nowhere/at/all').catch((error: unknown) => error);
    expect(isSystemError(missing)).toBe(true);
    for (const error of [missing, new MachineError('x'), Object.assign(new Error('x'), { code: 'Z_MEM_ERROR' })])
      expect(isMachineError(error)).toBe(true);
  });

  it('is no wrong data, and nothing that is no error', () => {
    for (const other of [
      new Error('bad header'),
      Object.assign(new Error('x'), { code: 'Z_DATA_ERROR' }),
      'ENOSPC',
      null,
    ])
      expect(isMachineError(other)).toBe(false);
  });

  it.each([
    'av_interleaved_write_frame(): No space left on device',
    '/tmp/clip.mp4: Read-only file system',
    'Cannot allocate memory',
    'Stale NFS file handle',
    'Stale file handle',
    'Exiting normally, received signal 15.',
  ])('is reported by a program that writes %j', (complaint) => {
    expect(reportsMachineError(complaint)).toBe(true);
  });

  it.each(['Invalid data found when processing input', 'Unknown encoder', ''])('is not reported by %j', (complaint) => {
    expect(reportsMachineError(complaint)).toBe(false);
  });
});
