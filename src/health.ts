import type { Handler } from '#http/router.ts';
import { diskFull } from '#render-gateway/require-room.ts';
import type { Service } from '#service/service.ts';

/** The multiple of the reserve below which monitors and alerts warn, early enough to free space. */
export const EARLY = 2;

/** `GET /healthz`: for a monitor. Not for a proxy: viewers can still watch when this answers 503. */
export const health: Handler<Pick<Service, 'disk'>> = async ({ disk }) => {
  if (!(await disk.hasRoom(EARLY))) throw diskFull();
  return new Response('ok\n', {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
};
