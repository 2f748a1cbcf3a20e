import * as z from 'zod';
import { UPLOAD_SOURCES } from '#domain/account/account.ts';
import type { Address } from '#domain/lib/address-policy.ts';
import { isUuid } from '#domain/lib/ids.ts';
import { cleanName } from '#domain/lib/text.ts';
import { MAX_PARTS, PART_BYTES, Sha256 } from '../host/gateway.ts';
import * as field from '../lib/fields.ts';
import { isWindow, NO_WINDOW, next_cursor, page } from '../lib/lists.ts';
import { href } from '../lib/routes.ts';

/** Demos that an account uploads because it has no public address for them. */

const MAX_DEMO_BYTES = MAX_PARTS * PART_BYTES;

/** Characters of an upload's name. */
const MAX_NAME = 200;

const name = field.line(MAX_NAME).describe('Your name for the demo. The service does not use it.');
const bytes = z
  .int('must be an integer')
  .min(1, 'must be at least 1')
  .max(MAX_DEMO_BYTES, `must be at most ${MAX_DEMO_BYTES}`)
  .describe('Length of the file in bytes.');

export const Tag = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, 'must be a word of small letters, digits, dots, dashes and _')
  .describe('Your word for the origin of the demo.');
/** What a game server says about its demo. Match ids restart, so nothing depends on it. */
export const UploadFacts = z
  .strictObject({
    file_name: z.string().max(MAX_NAME).optional().describe('The name of the demo file.'),
    match_id: z.string().max(100).optional().describe('Id of the match on the game server.'),
    map_number: z.int().min(0).optional().describe('Number of the map in the match, from 0.'),
    round_number: z.int().min(0).optional().describe('Number of the last round.'),
  })
  .meta({ id: 'UploadFacts', description: 'Facts about the demo, from the game server.' });
export type UploadFacts = z.infer<typeof UploadFacts>;

export const UploadRequest = z
  .strictObject({ name, bytes, sha256: Sha256, tag: Tag.optional(), facts: UploadFacts.optional() })
  .meta({ id: 'UploadRequest', description: 'A demo, plain or compressed, that is about to be sent.' });

export const IngestQuery = z.strictObject({ tag: Tag.optional() });

/** The query of a part; its body is the part. */
export const PartQuery = z.strictObject({
  part: z.coerce
    .number()
    .pipe(z.int().min(1).max(MAX_PARTS))
    .meta({
      description: 'Number of the part, from 1.',
      override: { type: 'integer', minimum: 1, maximum: MAX_PARTS },
    }),
});

const fields = {
  id: field.uuid('Id of the upload.'),
  name,
  bytes: field.integer('Length of the file in bytes; 0 for a file of FACEIT, which is not stored.'),
  sha256: Sha256.nullable().describe(
    'SHA-256 of the file, in lower-case hexadecimal. Null until all of it has arrived, and for a file of FACEIT.',
  ),
  source: z.enum(UPLOAD_SOURCES).describe('Whether a client, a game server or FACEIT sent it.'),
  tag: Tag.nullable(),
  facts: UploadFacts.nullable(),
  state: z
    .enum(['open', 'complete'])
    .describe('The state of the upload: `open` until it is completed. Only a `complete` upload can be used.'),
  demo_url: field.url('Address of the uploaded demo, for `demo_url` of a job. Only jobs of your account can use it.'),
  created_at: field.time('Time when the upload began.'),
  expires_at: field.time(
    'Time when the upload is deleted. A request for the same upload, or a job that uses it, can postpone this.',
  ),
};

const MissingPart = z
  .object({
    part: field.integer('Number of the part, from 1.'),
    offset: field.integer('Position of the first byte of the part in the file.'),
    bytes: field.integer('Length of the part in bytes.'),
    url: field.url('Address to which you `PUT` these bytes of the file.'),
  })
  .meta({ id: 'MissingPart', description: 'A part of the file that has not arrived.' });

export const Upload = z
  .object({
    ...fields,
    parts: z.array(MissingPart).describe('Parts that are still to be sent, in any order.'),
  })
  .meta({ id: 'Upload', description: 'A demo that is being uploaded, or was.' });
export type Upload = z.infer<typeof Upload>;

export const UploadListQuery = z.strictObject(page).refine(isWindow, NO_WINDOW);
export const UploadList = z
  .object({
    uploads: z.array(z.object(fields).meta({ id: 'UploadSummary', description: 'An upload without its parts.' })),
    next_cursor,
  })
  .meta({ id: 'UploadList', description: 'A page of uploads, newest first.' });

/** The address of an upload, for `demo_url`. */
export const UPLOAD_ROUTE = 'GET /api/uploads/:id';

/** Returns the upload that a demo's address names; null for any other address. */
export function uploadIdIn(demoUrl: string, ownOrigins: readonly Address[] = []): string | null {
  const url = URL.parse(demoUrl);
  const isOwn = ownOrigins.some(
    (own) => own.protocol === url?.protocol && own.hostname === url.hostname && own.port === url.port,
  );
  const id = url?.pathname.split('/').at(-1) ?? '';
  if (!isOwn || !isUuid(id)) return null;
  return url?.pathname === href(UPLOAD_ROUTE, { id }) && url.search === '' ? id : null;
}

/** Reads what MatchZy or get5 says about a demo in the headers of its upload. A wrong value counts as none. */
export function factsOf(headers: Headers): UploadFacts | null {
  const header = (name: string) => headers.get(`MatchZy-${name}`) ?? headers.get(`Get5-${name}`) ?? '';
  const text = (name: string, most: number) => cleanName(header(name), most) || undefined;
  const number = (name: string) => (/^\d{1,9}$/.test(header(name)) ? Number(header(name)) : undefined);
  const facts = {
    file_name: text('FileName', MAX_NAME),
    match_id: text('MatchId', 100),
    map_number: number('MapNumber'),
    round_number: number('RoundNumber'),
  };
  return Object.values(facts).some((fact) => fact !== undefined) ? facts : null;
}
