import * as z from 'zod';
import type { PlayerNames } from '#domain/clip/names.ts';
import { ASPECTS, type AssetOptions, DEFAULTS, FPS, RESOLUTIONS, type Selection } from '#domain/clip/render-order.ts';
import { RENDERERS } from '#domain/host/need.ts';
import { steam64Of } from '#domain/lib/ids.ts';
import { cleanLine } from '#domain/lib/text.ts';
import { AnyJson } from '#protocol/lib/shapes.ts';
import { type FieldError, fieldErrors } from '../lib/problem.ts';

/** The body of `POST /api/clips` (contract 4.1). Clients read each message after the field's name. */

const required = (rule: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? `is required and ${rule}` : rule),
});
const rule = (message: string) => ({ error: message });

const MAX_STEAM_ID = 2n ** 64n - 1n;

const Steam64 = z
  .string({
    error: ({ input }) => {
      const text = 'must be a JSON string with a 64-bit Steam id';
      if (typeof input === 'number' && !Number.isSafeInteger(input))
        return `${text}: as a number it loses its last digits`;
      return input === undefined ? `is required and ${text}` : text;
    },
  })
  .regex(decimalUpTo(MAX_STEAM_ID), {
    error: ({ input }) => {
      const id = steam64Of(String(input));
      return `must be a 64-bit Steam id in decimal digits${id === null ? '' : `: ${input} is ${id}`}`;
    },
  });

const steamId = (description: string) => Steam64.meta({ description });

/**
 * A strict absolute URL: no `http:host`, no `https:///host`, no backslash, no white space around it, no user name. Not
 * `format: uri`, which refuses every letter beyond ASCII.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: to keep them out
const HTTP_URL = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\x00-\x20\x7f/?#@\\]+([/?#]([^\x00-\x1f\x7f]*[^\x00-\x20\x7f])?)?$/;

/** What a header may carry verbatim. */
export const HEADER_VALUE = /^[!-~]([\t -~]*[!-~])?$/;

export const httpUrl = (name: string, description: string): z.ZodString =>
  z
    .string(required(`must be a JSON string with an absolute http(s) URL`))
    .max(4096, rule('must be at most 4096 characters'))
    .regex(HTTP_URL, {
      error: `must be an absolute http or https URL of ${name}, without user name or password`,
      abort: true,
    })
    .refine(URL.canParse, rule('must have a valid host and port'))
    .meta({ description });

const flag = (description: string) =>
  z.boolean(rule('must be true or false')).meta({ description, default: false }).optional();

const zeroOrOne = (preset: '0' | '1', description: string) =>
  z.enum(['0', '1'], rule('must be "0" or "1"')).meta({ description, default: preset }).optional();

const number = (unit: string, least: number, most: number, description: string, preset?: number) =>
  z
    .number(rule(unit ? `must be a number of ${unit}` : 'must be a number'))
    .min(least, rule(`must be at least ${least} ${unit}`.trim()))
    .max(most, rule(`must be at most ${most} ${unit}`.trim()))
    .meta({ description, ...(preset !== undefined && { default: preset }) })
    .optional();

const asset = (kind: string, description: string) =>
  z
    .guid(rule(`must be the UUID of one of your ${kind}`))
    .toLowerCase()
    .meta({ description })
    .optional();

/** JavaScript has no exact integers beyond it. */
const exclusiveMaximum = 2 ** 53;

const tick = (description: string) =>
  z
    .int(required('must be a whole number of ticks'))
    .min(0, rule('must not be negative'))
    .meta({ description, exclusiveMaximum });

/** A timeline has this many segments at most (contract 2.4). */
export const MAX_SEGMENTS = 20;
const MIN_TICKS = 64;
const MAX_TICKS = 64_000;

/** Contract 2.4, with the length rule of 4.1. */
const Segment = z
  .strictObject(
    {
      steam64_id: steamId('The player through whose eyes the segment is seen.'),
      start_tick: tick('Tick of the demo at which the segment begins.'),
      end_tick: tick('Tick at which the segment ends: 64 to 64000 ticks after `start_tick`.').meta({
        minimum: MIN_TICKS,
      }),
      speed: number('', 0.1, 4, 'Speed of the game: 0.5 is slow motion, 2 is twice as fast.', 1),
    },
    rule('must be a segment object'),
  )
  .refine(lengthAllowed, {
    path: ['end_tick'],
    error: `must lie at least ${MIN_TICKS} and at most ${MAX_TICKS} ticks after start_tick`,
  })
  .meta({
    id: 'TimelineSegment',
    description: 'A range of ticks, seen by one player.',
    // JSON Schema cannot compare fields; this is for its readers.
    'x-length-in-ticks': { minimum: MIN_TICKS, maximum: MAX_TICKS },
  });

type Segment = z.infer<typeof Segment>;

/** Contract 2.5. */
const Commands = z
  .strictObject(
    {
      spec_show_xray: zeroOrOne(DEFAULTS.xray, '`"1"` shows the outlines of players through walls.'),
      cl_draw_only_deathnotices: zeroOrOne(
        DEFAULTS.onlyDeathnotices,
        '`"1"` hides the HUD except for the killfeed, `"0"` shows all of it.',
      ),
    },
    rule('must be an object of commands'),
  )
  .meta({ id: 'Commands', description: 'Settings of the game that a clip may change.' });

const MOST_NAMES = 64;
const NAME_LENGTH = { minLength: 1, maxLength: 32 };

/** Names by Steam id. The rules are in `superRefine`, because a union reports no path for an error inside it. */
const Names = z
  .record(z.string(), z.string().overwrite(cleanLine).meta(NAME_LENGTH))
  .superRefine((names, context) => {
    const refuse = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', path, message });
    if (Object.keys(names).length > MOST_NAMES) refuse(`must name at most ${MOST_NAMES} players`);
    for (const [id, text] of Object.entries(names)) {
      const [fault] = Steam64.safeParse(id).error?.issues ?? [];
      if (fault) refuse(fault.message, id);
      else if (text === '' || [...text].length > NAME_LENGTH.maxLength) refuse('must have 1 to 32 characters', id);
    }
  })
  .meta({ propertyNames: { pattern: decimalUpTo(MAX_STEAM_ID).source }, maxProperties: MOST_NAMES });

const fields = {
  demo_url: httpUrl(
    'the demo',
    'Address of the demo: a `.dem`, plain or as `.gz`, `.bz2`, `.zst`, `.zip` or `.rar`. For an archive with several demos, add `#` and the name of one.',
  ),
  steam64_id: steamId('Round mode: the player whose kills are shown.').optional(),
  round: z
    .int(rule('must be a positive integer'))
    .min(1, rule('must be 1 or greater'))
    .meta({
      description: 'Round mode: the round to take, from 1. Without it, every round of the demo.',
      exclusiveMaximum,
    })
    .optional(),
  pre_kill_padding: number('seconds', 0.5, 5, 'Round mode: seconds shown before each kill.', DEFAULTS.preKillPadding),
  post_kill_padding: number('seconds', 0.5, 5, 'Round mode: seconds shown after each kill.', DEFAULTS.postKillPadding),
  timeline: z
    .array(Segment, rule('must be an array of segment objects'))
    .min(1, rule('must have at least 1 segment'))
    .max(MAX_SEGMENTS, rule(`must have at most ${MAX_SEGMENTS} segments`))
    .meta({
      description:
        'Timeline mode: the ranges to show, in this order. Those of one player and speed that touch become one.',
    })
    .optional(),
  pov: z
    .enum(['killer', 'victim', 'both'], rule('must be one of "killer", "victim", "both"'))
    .meta({
      description: 'Round mode: the player whose view of a kill is shown, or both, one after the other.',
      default: 'killer',
    })
    .optional(),
  merge_gap: number('seconds', 0, 10, 'Round mode: windows of a round with no larger gap stay in one shot.', 0),
  kill_slowdown: number('', 0.1, 1, 'Speed of the game around each kill: 1 is real time.'),
  fps: z
    .int(rule(`must be an integer from ${FPS.least} to ${FPS.most}`))
    .min(FPS.least, rule(`must be at least ${FPS.least}`))
    .max(FPS.most, rule(`must be at most ${FPS.most}`))
    .meta({ description: 'Frame rate of the clip in frames a second.', default: DEFAULTS.fps })
    .optional(),
  resolution: z
    .literal(RESOLUTIONS, rule(`must be ${RESOLUTIONS.join(' or ')}`))
    .meta({
      description: 'Shorter side of the picture in pixels: its height at 16:9.',
      default: DEFAULTS.resolution,
    })
    .optional(),
  aspect: z
    .enum(ASPECTS, rule(`must be one of ${ASPECTS.map((aspect) => `"${aspect}"`).join(', ')}`))
    .meta({
      description:
        'Shape of the picture, width to height. Names and killfeed stay clear of the controls of phone apps.',
      default: ASPECTS[0],
    })
    .optional(),
  commands: Commands.optional(),
  hud_killfeed: flag(
    "Draw the service's own killfeed instead of the game's: it shows only this player's kills and lasts across cuts.",
  ),
  hud_damage_ticker: flag('Draw the damage that the player deals beside the crosshair.'),
  thumbnail_style: z
    .enum(['full', 'killfeed', 'none'], rule('must be one of "full", "killfeed", "none"'))
    .meta({
      description:
        'The overlay of the thumbnail: `full` shows a headline, the player, the round and the killfeed; `killfeed` only the killfeed; `none` nothing.',
      default: DEFAULTS.thumbnailStyle,
    })
    .optional(),
  thumbnail_tick: tick(
    'Tick of the demo that the thumbnail shows, instead of the best moment. In timeline mode it must be in a segment. In round mode, the best moment is shown if no shot has it.',
  ).optional(),
  names: z
    .union([z.enum(['show', 'hide']), Names], rule('must be "show", "hide", or an object of texts by Steam id'))
    .meta({
      description:
        '`hide` replaces the names of players with `Player 1`, `Player 2` and so on, wherever the clip shows or names them. An object gives names by Steam id, 1 to 32 characters each; other players are numbered. Default: `show`, or `hide` if your account hides names.',
    })
    .optional(),
  watermark_image_id: asset(
    'watermarks',
    'Image of yours for the top left corner of the safe area, drawn pixel for pixel at 1080.',
  ),
  intro_asset_id: asset('intros', 'Image of yours that is shown first.'),
  outro_asset_id: asset('outros', 'Image of yours that is shown last.'),
  title_card: flag('Show a card with the title of the clip before its first shot.'),
  card_seconds: number('seconds', 1, 10, 'Length in seconds of each card: intro, title, outro.', DEFAULTS.cardSeconds),
  music_asset_id: asset('music', 'Music of yours under the clip, cut to its length.'),
  idempotency_key: z
    .string(rule('must be a string'))
    .min(1, rule('must not be empty'))
    .max(255, rule('must be at most 255 characters'))
    .refine((text) => text.isWellFormed(), rule('must not have half a surrogate pair'))
    .meta({ description: 'Your name for the job. The same key never queues a second job.' })
    .optional(),
  force: flag('Whether to run an existing, finished job of the `idempotency_key` again, with this request.'),
  renderer: z
    .enum(RENDERERS, rule('must be one of "radar", "cs2"'))
    .meta({
      description:
        'Renderer of the clip. `cs2` is the game, through the player’s eyes. `radar` draws the match from above. Without it, the default of your account, else of the service.',
    })
    .optional(),
  fallback: z
    .literal('radar', rule('must be "radar"'))
    .meta({
      description:
        'If no render host can play the demo in the game, the `radar` renderer makes the clip in the same job: a view of the match from above, which needs no game. That is after a final `demo_incompatible` or `workshop_not_supported`, or after ten minutes without a host that could take the job; the operator may set another time.',
    })
    .optional(),
  extras: AnyJson.optional(),
  webhook_url: httpUrl(
    'your webhook receiver',
    'Address to which the outcome is posted. Without it, no webhook is sent.',
  ).optional(),
  webhook_auth_header: z
    .string(rule('must be a string'))
    .max(4096, rule('must be at most 4096 characters'))
    .regex(HEADER_VALUE, rule('must be printable ASCII, with spaces and tabs only within'))
    .meta({
      description:
        'Value of the `Authorization` header of the webhook. Printable ASCII, with spaces and tabs only within. Needs a `webhook_url`, and is never shown again.',
    })
    .optional(),
};

/** A header of a submit that means what the field `idempotency_key` means. */
export const KEY_HEADER = 'Idempotency-Key';

/** Headers of a 200 that queued nothing. The second one: the body differs from the stored request. */
export const REPLAYED_HEADER = 'Idempotent-Replayed';
export const DIFFERS_HEADER = 'Idempotency-Body-Differs';

/** Fields that only one of the two modes has (contract 4.1). */
const ROUND_MODE_ONLY = ['round', 'pre_kill_padding', 'post_kill_padding', 'pov', 'merge_gap'] as const;

/** Fields that ask for a card. */
const CARDS = ['intro_asset_id', 'outro_asset_id', 'title_card'] as const;

export const SubmitRequest = z.strictObject(fields, rule('must be a JSON object')).meta({
  id: 'SubmitRequest',
  description: 'A clip to render. Send exactly one of `steam64_id` (round mode) and `timeline` (timeline mode).',
  // The rules of `crossFieldErrors`, for readers of the schema.
  oneOf: [{ required: ['steam64_id'] }, { required: ['timeline'] }],
  if: { required: ['force'], properties: { force: { const: true } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['idempotency_key'], properties: { idempotency_key: true }, unevaluatedProperties: true },
  dependentRequired: {
    ...Object.fromEntries(ROUND_MODE_ONLY.map((name) => [name, ['steam64_id']])),
    webhook_auth_header: ['webhook_url'],
  },
  dependentSchemas: {
    card_seconds: {
      anyOf: CARDS.map((name) => ({ required: [name], properties: { [name]: { not: { const: false } } } })),
    },
    aspect: {
      anyOf: [
        { properties: { aspect: { const: ASPECTS[0] } } },
        { properties: { commands: { properties: { cl_draw_only_deathnotices: { const: '1' } } } } },
      ],
    },
  },
});
export type SubmitRequest = z.infer<typeof SubmitRequest>;

/** The fields that select the moments: those of one mode only. */
type ModeFields =
  | (Pick<SubmitRequest, (typeof ROUND_MODE_ONLY)[number]> & { steam64_id: string; timeline?: undefined })
  | ({ [Name in 'steam64_id' | (typeof ROUND_MODE_ONLY)[number]]?: undefined } & { timeline: Segment[] });

/** A valid request. `extras` is its JSON text, null if absent. Its contents are never read. */
export type ValidRequest = Omit<SubmitRequest, 'extras' | keyof ModeFields> & ModeFields & { extras: string | null };

export type SubmitParse = { ok: true; request: ValidRequest } | { ok: false; errors: FieldError[] };

/** Checks a body against all rules: each field's own, then those between fields. */
export function parseSubmit(body: unknown, extras: string | null = null): SubmitParse {
  const parsed = SubmitRequest.safeParse(body);
  const errors = parsed.success ? [] : fieldErrors(parsed.error, SubmitRequest);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) errors.push(...crossFieldErrors(body));
  const { timeline, thumbnail_tick: at } = parsed.data ?? {};
  if (timeline && at !== undefined && !timeline.some(({ start_tick, end_tick }) => start_tick <= at && at < end_tick)) {
    const message = 'must be in a segment of the timeline: at or after its start_tick and before its end_tick';
    errors.push({ path: 'thumbnail_tick', message });
  }
  if (parsed.data && isOtherShape(parsed.data) && parsed.data.commands?.cl_draw_only_deathnotices === '0') {
    const message = 'must be "1" with this aspect: the HUD of the game is laid out for 16:9 and would be cut off';
    errors.push({ path: 'commands.cl_draw_only_deathnotices', message });
  }
  return parsed.success && errors.length === 0 && isOfOneMode(parsed.data)
    ? { ok: true, request: { ...parsed.data, extras } }
    : { ok: false, errors };
}

/** Whether a picture of another shape than 16:9 is asked for. */
export function isOtherShape({ aspect = ASPECTS[0] }: Pick<SubmitRequest, 'aspect'>): boolean {
  return aspect !== ASPECTS[0];
}

/** Narrows the type. `crossFieldErrors` has checked it. */
function isOfOneMode(request: SubmitRequest): request is SubmitRequest & ModeFields {
  return (request.steam64_id === undefined) !== (request.timeline === undefined);
}

/** Returns the moments that a request selects, with the defaults of contract 4.1. */
export function selectionOf(request: ModeFields & Pick<SubmitRequest, 'kill_slowdown'>): Selection {
  if (request.timeline) {
    return {
      mode: 'timeline',
      segments: request.timeline.map((segment) => ({
        steam64Id: segment.steam64_id,
        startTick: segment.start_tick,
        endTick: segment.end_tick,
        speed: segment.speed ?? 1,
      })),
      killSlowdown: request.kill_slowdown ?? null,
    };
  }
  return {
    mode: 'round',
    steam64Id: request.steam64_id,
    round: request.round ?? null,
    preKillPadding: request.pre_kill_padding ?? DEFAULTS.preKillPadding,
    postKillPadding: request.post_kill_padding ?? DEFAULTS.postKillPadding,
    pov: request.pov ?? 'killer',
    mergeGap: request.merge_gap ?? 0,
    killSlowdown: request.kill_slowdown ?? null,
  };
}

/** Returns the texts that replace the names of players; undefined for the names of the match. */
export function namesAsked({ names = 'show' }: Pick<SubmitRequest, 'names'>): PlayerNames | undefined {
  return names === 'show' ? undefined : names === 'hide' ? {} : names;
}

/** Returns the assets and cards that a request or an order asks for, with defaults. */
export function assetsAsked(request: { [Name in keyof SubmitRequest]?: SubmitRequest[Name] | null }): AssetOptions {
  return {
    watermarkImageId: request.watermark_image_id ?? null,
    introAssetId: request.intro_asset_id ?? null,
    outroAssetId: request.outro_asset_id ?? null,
    titleCard: request.title_card ?? false,
    cardSeconds: request.card_seconds ?? DEFAULTS.cardSeconds,
    musicAssetId: request.music_asset_id ?? null,
  };
}

function crossFieldErrors(body: object): FieldError[] {
  const sent = (name: string) => name in body;
  const isAsked = (name: string) => sent(name) && Reflect.get(body, name) !== false;
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
  const needs = (path: string, one: string, others: readonly string[]) => {
    if (isAsked(path) && !others.some(isAsked)) errors.push({ path, message: `needs ${one}` });
  };
  needs('force', 'an idempotency_key', ['idempotency_key']);
  needs('card_seconds', 'an intro_asset_id, an outro_asset_id or a title_card', CARDS);
  needs('webhook_auth_header', 'a webhook_url', ['webhook_url']);
  return errors;
}

/** Whether a segment is as long as the contract allows (4.1). */
export function lengthAllowed(segment: { start_tick: number; end_tick: number }): boolean {
  const length = segment.end_tick - segment.start_tick;
  return length >= MIN_TICKS && length <= MAX_TICKS;
}

/** Returns a pattern of the decimal numbers from 1 to `most`, which readers of the schema can use. */
function decimalUpTo(most: bigint): RegExp {
  const digits = String(most);
  // A number matches if it has fewer digits, or a smaller digit after equal ones, or equals `most`.
  const smaller = [...digits].flatMap((digit, i) => {
    const least = i === 0 ? 1 : 0;
    if (Number(digit) <= least) return [];
    return `${digits.slice(0, i)}[${least}-${Number(digit) - 1}][0-9]{${digits.length - i - 1}}`;
  });
  return new RegExp(`^([1-9][0-9]{0,${digits.length - 2}}|${smaller.join('|')}|${digits})$`);
}
