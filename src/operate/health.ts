import { EARLY } from '#protocol/operate/disk-state.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { diskFull } from '#service/lib/require-disk.ts';

/** Not for the health check of a proxy: viewers can still watch while this answers 503. */
export const health = operation({
  route: 'GET /healthz',
  scope: 'public',
  handler: async ({ disk, controls }) => {
    if (!(await disk.hasSpace(EARLY))) throw diskFull();
    const { maintenance } = await controls.read();
    return new Response(maintenance ? `ok, under maintenance: ${maintenance.reason}\n` : 'ok\n', {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  },
});

export const words = (): Words => ({
  health: {
    tag: 'Viewing',
    summary: 'Check the health of the service',
    description:
      'Checks the service for a monitor. On one machine it answers 503 before the disk is full (`DISK_RESERVE_MIB`).',
    answers: { 200: { description: 'The service works normally.', content: { types: ['text/plain'] } } },
    problems: ['unavailable'],
  },
});
