import * as z from 'zod';
import { fieldsOf, isFinished, type Job } from '#domain/job/job.ts';
import { type AddressPolicy, callFault, isAcceptableDemo, nameOf, placeOf } from '#domain/lib/address-policy.ts';
import { JobErrorCode } from '#protocol/lib/problem.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import { httpUrl, SubmitRequest } from '../clip/submit.ts';
import { Fence, UploadedFile } from '../host/gateway.ts';
import { Diagnosis, diagnosisOf } from '../job/job-detail.ts';
import * as field from '../lib/fields.ts';
import { replayUrl } from '../lib/routes.ts';

// The contents of a demo, read by a host so that an account can choose clips.

/** Limits of what is stored of a demo; the rest is dropped. */
export const MAX_INSPECTED = {
  players: 128,
  rounds: 200,
  kills: 3000,
  highlights: 100,
  gaps: 1000,
  parts: 20,
} as const;
/** Raise it when hosts find other things in the same demo. A request then reads a demo of an older version again. */
export const READER_VERSION = 1;
/** Longer names are cut. */
export const MAX_NAME = 100;
/**
 * The most bytes of an inspection as JSON, which the longest one does not reach. A value in an object has 2 MB at most.
 */
export const MAX_INSPECTION_BYTES = 1024 * 1024;
/** Three hours at 150 kB a minute. */
const MAX_TRACKS_BYTES = 27_000_000;

const demo_url = httpUrl('the demo', 'Address of the demo, or the `demo_url` of one of your uploads.');
export const InspectRequest = z
  .strictObject({
    demo_url,
    replay: field
      .flag(
        'Whether the demo can also be played from above, in a browser: `replay_url` then names the page. Whoever has that address can open it.',
      )
      .optional(),
  })
  .meta({ id: 'InspectRequest', description: 'A demo to inspect.' });

const tick = z.int();
const team = z.enum(['T', 'CT']);
const text = z.string().max(MAX_NAME);
const player = z.int().min(0).describe('Position of the player in `players`, from 0.');
const round = z.int().min(1).describe('The round, as on the scoreboard.');

const DemoPlayer = z
  .object({
    steam64_id: z
      .string()
      .max(20)
      .describe('Steam id of the player, for `steam64_id` of a request. `0` for some bots.'),
    name: text.describe('The name of the player in the demo.'),
    is_bot: field.flag('Whether the game plays this player.'),
    team: team.nullable().describe('The side on which the player starts. Null for a player who was on none.'),
    kills: field.integer('Number of kills that count.'),
    deaths: field.integer('Number of deaths in rounds that count.'),
    kills_by_round: z
      .record(z.string(), z.int())
      .describe('Number of kills by round. Rounds without kills are left out.'),
  })
  .meta({ id: 'DemoPlayer', description: 'A player of a demo.' });

const DemoRound = z
  .object({
    round,
    start_tick: tick.describe('Tick at which the round begins.'),
    end_tick: tick.nullable().describe('Tick at which the round is decided. Null if the demo lacks it.'),
    official_end_tick: tick
      .nullable()
      .optional()
      .describe('Tick at which the announcement of the win ends. Null if the demo lacks it.'),
    winner: team.nullable().describe('The side that won the round. Null if the demo lacks it.'),
    reason: text
      .nullable()
      .describe('The reason why the round ended, such as `bomb_defused`. Null if the demo lacks it.'),
    score: z
      .object({ T: z.int(), CT: z.int() })
      .nullable()
      .describe('The scoreboard after the round, by the side that each team plays. Null if the demo lacks it.'),
  })
  .meta({ id: 'DemoRound', description: 'A round of a demo.' });

const DemoKill = z
  .object({
    tick: tick.describe('Tick of the kill.'),
    round,
    attacker: player,
    victim: player,
    assister: player.nullable().describe('Position in `players` of the player who assisted. Null for nobody.'),
    weapon: text.describe('The name of the weapon in the game, such as `ak47`.'),
    headshot: z.boolean(),
    wallbang: z.boolean(),
    no_scope: z.boolean(),
    through_smoke: z.boolean(),
    attacker_blind: z.boolean(),
    ends_round: z.literal(true).optional().describe('`true` if the kill decided the round for the side of the killer.'),
  })
  .meta({ id: 'DemoKill', description: 'A kill that counts.' });

const Moment = SubmitRequest.pick({ steam64_id: true, round: true, timeline: true });

const highlight = {
  kind: text.describe('The most valuable of `kinds`, such as `ace` or `clutch_1v3`.'),
  kinds: z.array(text).max(50).describe('All kinds of this highlight, the most valuable first.'),
  player,
  round,
  start_tick: tick.describe('First tick of the highlight, without padding.'),
  end_tick: tick.describe('Last tick of the highlight.'),
  score: field.number('Value of the highlight: a higher score is more worth seeing.'),
};

const highlightsWith = <Request extends z.ZodType>(request: Request, meta: z.GlobalMeta) =>
  z.array(z.object({ ...highlight, request }).meta(meta)).describe('Highlights of the demo, best first.');

const match = {
  map: text.describe('The map, as the game names it.'),
  game_patch: field.integerOrNull('The version of the game, such as 14160 for 1.41.6.0. Null if the demo lacks it.'),
  build: field.integerOrNull('Build of the game that recorded the demo. Null if the demo lacks it.'),
  tick_rate: field.number('Number of ticks a second.'),
  first_tick: tick.describe('The first tick that can be shown.'),
  last_tick: tick.describe('The last tick that can be shown.'),
  is_complete: field.flag('Whether the recording ended properly. Clips can be made of an incomplete one, too.'),
  damage: z
    .object({
      tick: tick.describe('The last tick before the damage.'),
      reason: text.describe('The damage of the file, in words.'),
    })
    .optional()
    .meta({
      id: 'DemoDamage',
      description: 'Damage in the file: only the ticks before it are read. Absent for a file without damage.',
    }),
  recorded_by: z
    .string()
    .max(20)
    .nullable()
    .describe('Steam id of the player who recorded the demo, if only that player can be shown. Null if all can.'),
  reader: field
    .integer(
      'The version of the program that read the demo; absent for the oldest. If there is a newer one, a request reads the demo again.',
    )
    .optional(),
  players: z.array(DemoPlayer).max(MAX_INSPECTED.players).describe('Players in the order of the demo.'),
  rounds: z.array(DemoRound).max(MAX_INSPECTED.rounds).describe('Rounds in the order of the match.'),
  gaps: z
    .array(z.object({ start_tick: tick, end_tick: tick }))
    .max(MAX_INSPECTED.gaps)
    .optional()
    .describe(
      'Ticks that clips leave out, because the recording or the game paused. Absent if the host does not report everything that the plan of a clip depends on.',
    ),
  parts: z
    .array(
      z.object({
        start_tick: tick.describe('The first tick of the part.'),
        end_tick: tick.describe('The tick after the last of the part.'),
        rounds: field.integer('Number of rounds of the part that were decided.'),
        players: z.array(player).max(MAX_INSPECTED.players).describe('The players of the part.'),
      }),
    )
    .max(MAX_INSPECTED.parts)
    .optional()
    .describe(
      'Parts of the demo that do not count as the match, such as rounds before a restart. They are not in `rounds` and `kills`, but a `timeline` can show their ticks. Absent if there are none.',
    ),
  archive: z
    .array(z.string().max(200))
    .max(20)
    .optional()
    .describe('Names of the demos in the archive. Add `#` and a name to `demo_url` to choose one.'),
  kills: z.array(DemoKill).max(MAX_INSPECTED.kills).describe('Kills that count, in the order of the match.'),
  kills_left_out: z
    .int()
    .min(1)
    .optional()
    .describe('Number of kills that are not in `kills`, because there are too many. Absent if none is left out.'),
};

/** What a host reports of a demo. Its render requests lack the address. */
export const HostInspection = z
  .object({
    ...match,
    highlights: highlightsWith(Moment.describe('The moments that a clip of the highlight shows.'), {
      id: 'FoundHighlight',
      description: 'A highlight: the actions of one player in one round.',
    }).max(MAX_INSPECTED.highlights),
  })
  .meta({ id: 'HostInspection', description: 'The contents of a demo.' });
export type HostInspection = z.infer<typeof HostInspection>;

export const InspectedRequest = z
  .object({
    fence: Fence,
    demo: HostInspection,
    tracks: UploadedFile.extend({
      bytes: z.int().min(1).max(MAX_TRACKS_BYTES).describe('Size of the file in bytes.'),
    })
      .optional()
      .describe('The uploaded `tracks`, if the grant named them among `optional_files`.'),
  })
  .meta({ id: 'Inspected', description: 'A report with the contents of a demo.' });
export type InspectedRequest = z.infer<typeof InspectedRequest>;

const ReadyMoment = SubmitRequest.pick({ demo_url: true, steam64_id: true, round: true, timeline: true });

export const DemoMatch = z
  .object({
    ...match,
    highlights: highlightsWith(ReadyMoment.describe('The body of a submit that makes a clip of the highlight.'), {
      id: 'DemoHighlight',
      description: 'A highlight: the actions of one player in one round. docs/rules.md lists the scores.',
    }),
    best_of: ReadyMoment.nullable()
      .optional()
      .describe(
        'The body of a submit that shows the best highlights one after the other. Null if there is none. Absent without `best_of` in the query.',
      ),
  })
  .meta({ id: 'DemoMatch', description: 'The contents of a demo.' });
export type DemoMatch = z.infer<typeof DemoMatch>;

export const Demo = z
  .object({
    id: field.uuid('Id of the demo.'),
    demo_url: field.text('Address of the demo, as it was sent.'),
    state: z
      .enum(['pending', 'ready', 'error'])
      .describe('`pending` until a host has read it, then `ready`, or `error` if it cannot be read and never was.'),
    error_code: JobErrorCode.nullable().describe(
      'The error code of the last try. Null for none. While `pending`, another try follows.',
    ),
    diagnosis: Diagnosis.nullable().describe('The diagnosis of `error_code`. Null if that is null.'),
    created_at: field.time('Time when the inspection was requested.'),
    finished_at: field.timeOrNull('Time when the inspection ended. Null before that.'),
    expires_at: field.timeOrNull('Time when the inspection is deleted. Null while `pending`.'),
    replay_url: field
      .textOrNull(
        'Address of the page that plays the demo from above. Null while there is none. Absent unless `replay` was requested.',
      )
      .optional(),
    match: DemoMatch.nullable().describe(
      'The contents of the demo. Null before it was read. A demo that is read again keeps what was found before.',
    ),
  })
  .meta({ id: 'Demo', description: 'The inspection of a demo.' });
export type Demo = z.infer<typeof Demo>;

/** Adds the demo's address to every request of an inspection. */
export function demoMatch(found: HostInspection, demo_url: string): DemoMatch {
  const highlights = found.highlights.map((one) => ({ ...one, request: { demo_url, ...one.request } }));
  return { ...found, highlights };
}

/** Returns an inspection for its account. `demoTtl`: how long it is kept, in milliseconds. */
export function demoOf(
  job: Job,
  {
    demo_url,
    replay,
    found,
  }: {
    readonly demo_url: string;
    readonly replay?: boolean | undefined;
    readonly found?: DemoMatch | undefined;
  },
  { demoTtl, baseUrl }: { readonly demoTtl: number; readonly baseUrl: string },
): Demo {
  const { id, status, createdAt, errorCode, finishedAt } = fieldsOf(job);
  const match = found ?? null;
  return {
    id,
    demo_url,
    state: isFinished(status) ? (status === 'done' || match ? 'ready' : 'error') : 'pending',
    error_code: errorCode,
    diagnosis: diagnosisOf(job, baseUrl),
    created_at: isoTime(createdAt),
    finished_at: isoTimeOrNull(finishedAt),
    expires_at: finishedAt === null ? null : isoTime(finishedAt + demoTtl),
    ...(replay ? { replay_url: job.tracks ? replayUrl(baseUrl, job.clipId) : null } : {}),
    match,
  };
}

/** Whether a demo may be downloaded from this address. Checked by the service at the submit and by the host. */
export function isAcceptableDemoUrl(text: string, policy: AddressPolicy): boolean {
  const url = URL.parse(text);
  return url !== null && isAcceptableDemo(url, policy);
}

/** Returns the demo that a URL chooses of its archive, the text after `#`; null if it chooses none. */
export function demoNameIn(text: string): string | null {
  const name = URL.parse(text)?.hash.slice(1) ?? '';
  if (name === '') return null;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Like `callFault`, for the text of a URL. Checked at the submit or the registration, and before every call. */
export function callUrlFault(text: string, policy: Omit<AddressPolicy, 'acceptedDomains'>): string | null {
  const url = URL.parse(text);
  return url === null ? 'must be an absolute URL' : callFault(url, policy);
}

/** Returns the entry of `AddressPolicy.blocked` for a domain or an http(s) URL; null for any other text. */
export function blockEntryOf(text: string): string | null {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (!url?.hostname.includes('.') || url.username || url.hash) return null;
  return url.pathname === '/' && url.search === '' ? nameOf(url) : placeOf(url) + url.search;
}
