import { diskFull } from '#render-gateway/require-room.ts';
import { type OperationWords, operation } from '#service/operation.ts';

/** The multiple of the reserve below which monitors and alerts warn, early enough to free space. */
export const EARLY = 2;

/** For a monitor. Not for a proxy: viewers can still watch when this answers 503. */
export const health = operation({
  route: 'GET /healthz',
  scope: 'public',
  handler: async ({ disk }) => {
    if (!(await disk.hasRoom(EARLY))) throw diskFull();
    return new Response('ok\n', {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  },
});

export const words = (): OperationWords => ({
  tag: 'Viewing',
  summary: 'Ask whether all is well',
  description:
    'For a monitor. On one machine it answers 503 while its disk still has room, but not for long: `DISK_RESERVE_MIB`.',
  answers: { 200: { description: 'It is.', content: { types: ['text/plain'] } } },
  problems: ['unavailable'],
});
