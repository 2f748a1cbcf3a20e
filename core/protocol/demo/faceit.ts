import * as z from 'zod';
import type { Address } from '#domain/lib/address-policy.ts';
import { demoNameIn } from './demos.ts';
import { IngestQuery, uploadIdIn } from './uploads.ts';

/** FACEIT's addresses, and the messages of its webhooks (docs.faceit.com/docs/webhooks). */

/** The domains of FACEIT's match rooms and files. Signed addresses are on all but the first. */
export const FACEIT_DOMAINS: readonly string[] = ['faceit.com', 'faceit-cdn.net', 'backblazeb2.com'];

/** A demo that FACEIT has to sign: a file, or a demo of a match. `name` is what follows `#`; null for none. */
export type FaceitDemo =
  | { readonly file: string }
  | { readonly file?: undefined; readonly match: string; readonly name: string | null };

/** `demos.faceit.com`, `demos-us-east.backblaze.faceit-cdn.net`, `demos-us-east-faceit-cdn.s3.us-east-005.backblazeb2.com`. */
const FILES =
  /^demos(-[\w-]+)?((\.backblaze)?\.(faceit\.com|faceit-cdn\.net)|-faceit-cdn\.s3\.[\w-]+\.backblazeb2\.com)$/;
const ROOM = /^(?:\/[a-z]{2}(?:-[a-z]{2,4})?)?\/cs2\/room\/([\w-]{1,64})(?:\/[\w-]*)*$/i;

/** Parses an unsigned address of a FACEIT file or match room. Returns null for any other address. */
export function faceitDemo(text: string): FaceitDemo | null {
  const url = URL.parse(text);
  if (url === null || url.port !== '' || url.username !== '') return null;
  if (/^(www\.)?faceit\.com$/.test(url.hostname)) {
    const match = ROOM.exec(url.pathname)?.[1];
    return match === undefined ? null : { match, name: demoNameIn(text) };
  }
  return FILES.test(url.hostname) && url.search === '' ? { file: url.origin + url.pathname } : null;
}

/** Returns the name of the file that an address names. */
export function fileNameIn(address: string): string {
  return address.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
}

/** Whether hosts fetch a demo from the gateway: an upload, or a demo that the service lets FACEIT sign. */
export function isAtGateway(
  demoUrl: string,
  { ownOrigins, faceit }: { readonly ownOrigins: readonly Address[]; readonly faceit: object | null },
): boolean {
  return uploadIdIn(demoUrl, ownOrigins) !== null || (faceit !== null && faceitDemo(demoUrl) !== null);
}

export const FaceitQuery = IngestQuery.extend({
  key: z
    .string()
    .max(100)
    .optional()
    .describe('Your key, if FACEIT cannot send it in a header. The service does not log it.'),
});

/** The match with the address of one file. */
const Ready = z.looseObject({ id: z.string().min(1).max(100), demo_url: z.string().max(2000) });

/** Other fields of FACEIT's envelope are not read: the match and its file identify a demo. */
export const FaceitEvent = z
  .looseObject({
    event: z.string().max(100).describe('The kind of event. Any but `match_demo_ready` is ignored.'),
    payload: z.unknown().optional().describe('The match of `match_demo_ready`, with `id` and `demo_url`.'),
  })
  .meta({ id: 'FaceitEvent', description: 'A message of a webhook of FACEIT.' });

/** Returns the match and the file that a message announces; null if it does not. */
export function readyDemo(payload: unknown): { readonly match: string; readonly file: string } | null {
  const { data } = Ready.safeParse(payload);
  const file = data && faceitDemo(data.demo_url.split('?')[0] ?? '')?.file;
  return data && file !== undefined ? { match: data.id, file } : null;
}
