import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { isMachineError, isSystemError, MachineError, reportsMachineError } from '#render-host/machine/program.ts';

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
