import type { SubmitRequest } from '#client/index.ts';
import { href } from '#protocol/lib/routes.ts';

/** Returns the command line that submits an order, for a shell with the key in a variable. */
export function curlOf(order: SubmitRequest): string {
  const url = location.origin + href('POST /api/clips');
  const body = JSON.stringify(order).replaceAll("'", "'\\''");
  return `curl -X POST ${url} -H "Authorization: Bearer $TICKREEL_API_KEY" -H 'Content-Type: application/json' -d '${body}'`;
}
