import * as z from 'zod';
import { fieldErrors } from './field-errors.ts';
import type { FieldError } from './problem.ts';

/** The body of `POST /api/clips` (spec 4.1). Each message is what the client reads after the field's name. */

const required = (rule: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? `is required and ${rule}` : rule),
});
const rule = (message: string) => ({ error: message });

const MAX_STEAM_ID = 2n ** 64n - 1n;

const steamId = z
  .string(required('must be a JSON string with a 64-bit Steam id'))
  .refine(
    (text) => /^[1-9]\d{0,19}$/.test(text) && BigInt(text) <= MAX_STEAM_ID,
    rule('must be a 64-bit Steam id in decimal digits'),
  );

const httpUrl = (name: string) =>
  z
    .string(required(`must be a JSON string with an absolute http(s) URL`))
    .max(4096, rule('must be at most 4096 characters'))
    .refine(isHttpUrl, rule(`must be an absolute http or https URL of ${name}, without user name or password`));

const flag = z.boolean(rule('must be true or false')).optional();
const zeroOrOne = z.enum(['0', '1'], rule('must be "0" or "1"')).optional();
const padding = z
  .number(rule('must be a number of seconds'))
  .min(0.5, rule('must be at least 0.5 seconds'))
  .max(5, rule('must be at most 5 seconds'))
  .optional();

const tick = z.int(required('must be a whole number of ticks')).min(0, rule('must not be negative'));

/** Spec 2.4, with the length rule of 4.1. */
const Segment = z
  .strictObject({ steam64_id: steamId, start_tick: tick, end_tick: tick }, rule('must be a segment object'))
  .refine(lengthAllowed, {
    path: ['end_tick'],
    error: 'must lie at least 64 and at most 64000 ticks after start_tick',
  });

/** Spec 2.5. */
const Commands = z.strictObject(
  { spec_show_xray: zeroOrOne, cl_draw_only_deathnotices: zeroOrOne },
  rule('must be an object of commands'),
);

const fields = {
  demo_url: httpUrl('the demo'),
  fps: z
    .int(rule('must be an integer from 5 to 120'))
    .min(5, rule('must be at least 5'))
    .max(120, rule('must be at most 120'))
    .optional(),
  resolution: z.literal([1080, 1440], rule('must be 1080 or 1440')).optional(),
  commands: Commands.optional(),
  hud_killfeed: flag,
  hud_damage_ticker: flag,
  thumbnail_style: z.enum(['full', 'killfeed', 'none'], rule('must be one of "full", "killfeed", "none"')).optional(),
  watermark_image_id: z.guid(rule('must be the UUID of one of your watermarks')).toLowerCase().optional(),
  idempotency_key: z
    .string(rule('must be a string'))
    .min(1, rule('must not be empty'))
    .max(255, rule('must be at most 255 characters'))
    .optional(),
  force: flag,
  extras: z.json().optional(),
  webhook_url: httpUrl('your webhook receiver').optional(),
  webhook_auth_header: z
    .string(rule('must be a string'))
    .max(4096, rule('must be at most 4096 characters'))
    .regex(/^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/, rule('must be a legal header value'))
    .optional(),
  steam64_id: steamId.optional(),
  round: z.int(rule('must be a positive integer')).min(1, rule('must be 1 or greater')).optional(),
  pre_kill_padding: padding,
  post_kill_padding: padding,
  timeline: z
    .array(Segment, rule('must be an array of segment objects'))
    .min(1, rule('must have at least 1 segment'))
    .max(20, rule('must have at most 20 segments'))
    .optional(),
};

export const SubmitRequest = z.strictObject(fields, rule('must be a JSON object'));
export type SubmitRequest = z.infer<typeof SubmitRequest>;

export type SubmitParse = { ok: true; request: SubmitRequest } | { ok: false; errors: FieldError[] };

/** Checks a body against every rule at once: each field's own, then those between fields. */
export function parseSubmit(body: unknown): SubmitParse {
  const parsed = SubmitRequest.safeParse(body);
  const errors = parsed.success ? [] : fieldErrors(parsed.error);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) errors.push(...crossFieldErrors(body));
  return parsed.success && errors.length === 0 ? { ok: true, request: parsed.data } : { ok: false, errors };
}

/** Fields that only one of the two modes has (spec 4.1). */
const ROUND_MODE_ONLY = ['round', 'pre_kill_padding', 'post_kill_padding'] as const;

function crossFieldErrors(body: object): FieldError[] {
  const sent = (name: string) => name in body;
  const errors: FieldError[] = [];
  if (sent('steam64_id') && sent('timeline')) {
    errors.push({ path: 'timeline', message: 'must not be sent together with steam64_id' });
  } else if (sent('timeline')) {
    for (const path of ROUND_MODE_ONLY.filter(sent)) {
      errors.push({ path, message: 'must not be sent together with timeline' });
    }
  } else if (!sent('steam64_id')) {
    errors.push({ path: 'steam64_id', message: 'either steam64_id or timeline is required' });
  }
  if ('force' in body && body.force === true && !sent('idempotency_key')) {
    errors.push({ path: 'force', message: 'needs an idempotency_key' });
  }
  if (sent('webhook_auth_header') && !sent('webhook_url')) {
    errors.push({ path: 'webhook_auth_header', message: 'needs a webhook_url' });
  }
  return errors;
}

function lengthAllowed(segment: { start_tick: number; end_tick: number }): boolean {
  const length = segment.end_tick - segment.start_tick;
  return length >= 64 && length <= 64_000;
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.hostname === '') return false;
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}
