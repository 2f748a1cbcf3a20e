import { ProblemError } from '#http/problem.ts';
import type { Service } from './service.ts';

/**
 * Throws a problem unless this share of the disk's reserve is free. On one machine, storage never answers a write that
 * finds the disk full.
 */
export async function requireDisk({ disk }: Pick<Service, 'disk'>, share: number | undefined): Promise<void> {
  if (share !== undefined && !(await disk.hasSpace(share))) throw diskFull();
}

export function diskFull(): ProblemError {
  return new ProblemError('unavailable', 'The disk of the service is almost full.', {
    headers: { 'Retry-After': '60' },
  });
}
