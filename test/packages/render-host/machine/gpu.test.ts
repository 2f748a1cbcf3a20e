import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findGpu } from '#render-host/machine/program.ts';

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
