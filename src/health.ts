import type { Handler } from '../http/router.ts';
import { diskFull } from '../render-gateway/require-room.ts';
import type { Service } from '../service/service.ts';

/** Said while there still is room, so that somebody can make some. */
export const EARLY = 2;

/** `GET /healthz`: for a monitor. A proxy that takes 503 for an end would cut off viewers, whom a full disk does not hurt. */
export const health: Handler<Pick<Service, 'disk'>> = async ({ disk }) => {
  if (!(await disk.hasRoom(EARLY))) throw diskFull();
  return new Response('ok\n', {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
};
