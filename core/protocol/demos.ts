import * as z from 'zod';
import { fieldsOf, isFinished, type Job } from '#domain/job.ts';
import { Fence, UploadedFile } from './gateway.ts';
import { Diagnosis, diagnosisOf } from './job-detail.ts';
import { isoTime, isoTimeOrNull, JobErrorCode } from './job-view.ts';
import { replayUrl } from './routes.ts';
import { httpUrl, SubmitRequest } from './submit.ts';

/** The contents of a demo, read by a host so that an account can choose clips. */

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

const demo_url = httpUrl('the demo', 'Where the demo lies, or the `demo_url` of one of your uploads.');
export const InspectRequest = z
  .strictObject({
    demo_url,
    replay: z.boolean().optional().meta({
      description:
        'Whether the demo can also be played from above, in a browser: `replay_url` then names the page. Whoever has that address can open it.',
    }),
  })
  .meta({ id: 'InspectRequest', description: 'A demo to look into.' });

const tick = z.int();
const team = z.enum(['T', 'CT']);
const text = z.string().max(MAX_NAME);
const player = z.int().min(0).meta({ description: 'A player, by his place in `players` from 0.' });
const round = z.int().min(1).meta({ description: 'The round, as on the scoreboard.' });

const DemoPlayer = z
  .object({
    steam64_id: z.string().max(20).meta({ description: 'What `steam64_id` of a request names; `0` for some bots.' }),
    name: text.meta({ description: 'As the demo has it.' }),
    is_bot: z.boolean().meta({ description: 'Played by the game.' }),
    team: team.nullable().meta({ description: 'The side he starts on; null for one who was on none.' }),
    kills: z.int().meta({ description: 'Kills that count.' }),
    deaths: z.int().meta({ description: 'Deaths in rounds that count.' }),
    kills_by_round: z
      .record(z.string(), z.int())
      .meta({ description: 'Kills by round; rounds without any are left out.' }),
  })
  .meta({ id: 'DemoPlayer', description: 'A player of a demo.' });

const DemoRound = z
  .object({
    round,
    start_tick: tick.meta({ description: 'Where it begins.' }),
    end_tick: tick.nullable().meta({ description: 'Where it is decided; null where the demo does not say.' }),
    official_end_tick: tick.nullable().optional().meta({
      description: 'Where the announcement of the win ends; null where the demo does not say.',
    }),
    winner: team.nullable().meta({ description: 'The side that won it; null where the demo does not say.' }),
    reason: text.nullable().meta({ description: 'Why it ended, such as `bomb_defused`.' }),
    score: z
      .object({ T: z.int(), CT: z.int() })
      .nullable()
      .meta({ description: 'The scoreboard then, by the side that each team plays.' }),
  })
  .meta({ id: 'DemoRound', description: 'A round of a demo.' });

const DemoKill = z
  .object({
    tick: tick.meta({ description: 'When.' }),
    round,
    attacker: player,
    victim: player,
    assister: player.nullable().meta({ description: 'Who helped, likewise; null for nobody.' }),
    weapon: text.meta({ description: "The game's name of it, such as `ak47`." }),
    headshot: z.boolean(),
    wallbang: z.boolean(),
    no_scope: z.boolean(),
    through_smoke: z.boolean(),
    attacker_blind: z.boolean(),
    ends_round: z.literal(true).optional().meta({ description: 'Set if it decided the round for the killer.' }),
  })
  .meta({ id: 'DemoKill', description: 'A kill that counts.' });

const Moment = SubmitRequest.pick({ steam64_id: true, round: true, timeline: true });

const highlight = {
  kind: text.meta({ description: 'The most valuable of `kinds`, such as `ace` or `clutch_1v3`.' }),
  kinds: z.array(text).max(50).meta({ description: 'All that makes it one, the most valuable first.' }),
  player,
  round,
  start_tick: tick.meta({ description: 'Its first tick, without any padding.' }),
  end_tick: tick.meta({ description: 'Its last.' }),
  score: z.number().meta({ description: 'How much it is worth seeing.' }),
};

const match = {
  map: text.meta({ description: 'The map, as the game names it.' }),
  game_patch: z
    .int()
    .nullable()
    .meta({ description: 'The version of the game, as 14160 for 1.41.6.0; null if the demo lacks it.' }),
  build: z.int().nullable().meta({ description: 'Its build; null if the demo lacks it.' }),
  tick_rate: z.number().meta({ description: 'Ticks a second.' }),
  first_tick: tick.meta({ description: 'The first tick that can be shown.' }),
  last_tick: tick.meta({ description: 'The last.' }),
  is_complete: z
    .boolean()
    .meta({ description: 'Whether the recording was ended properly. All else of it can be shown.' }),
  damage: z
    .object({
      tick: tick.meta({ description: 'The last tick before the damage.' }),
      reason: text.meta({ description: 'What is damaged in the file.' }),
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
    .meta({ description: 'The one player who can be shown, in their own recording; null where all can.' }),
  reader: z.int().optional().meta({
    description:
      'The version of the program that read the demo; absent for the oldest. If there is a newer one, a request reads the demo again.',
  }),
  players: z.array(DemoPlayer).max(MAX_INSPECTED.players).meta({ description: 'In the order of the demo.' }),
  rounds: z.array(DemoRound).max(MAX_INSPECTED.rounds).meta({ description: 'In their order.' }),
  gaps: z
    .array(z.object({ start_tick: tick, end_tick: tick }))
    .max(MAX_INSPECTED.gaps)
    .optional()
    .meta({
      description:
        'Ticks that clips leave out, because the recording or the game paused. Absent if the host does not report all that decides the shots of a clip.',
    }),
  parts: z
    .array(
      z.object({
        start_tick: tick.meta({ description: 'The first tick of the part.' }),
        end_tick: tick.meta({ description: 'The tick after the last of the part.' }),
        rounds: z.int().meta({ description: 'How many of its rounds were decided.' }),
        players: z.array(player).max(MAX_INSPECTED.players).meta({ description: 'The players of the part.' }),
      }),
    )
    .max(MAX_INSPECTED.parts)
    .optional()
    .meta({
      description:
        'Parts of the demo that do not count as the match, such as rounds before a restart. They are not in `rounds` and `kills`, but a `timeline` can show their ticks. Absent if there are none.',
    }),
  archive: z
    .array(z.string().max(200))
    .max(20)
    .optional()
    .meta({ description: 'The demos of the archive that this one came in: `demo_url` and `#` with a name chooses.' }),
  kills: z.array(DemoKill).max(MAX_INSPECTED.kills).meta({ description: 'Those that count, in their order.' }),
  kills_left_out: z.int().min(1).optional().meta({
    description: 'How many kills are not in `kills`, because there are too many. Absent if none is left out.',
  }),
};

/** What a host reports of a demo. Its render requests lack the address. */
export const HostInspection = z
  .object({
    ...match,
    highlights: z
      .array(
        z
          .object({ ...highlight, request: Moment.meta({ description: 'What a clip of it asks for.' }) })
          .meta({ id: 'FoundHighlight', description: 'What one player did in one round.' }),
      )
      .max(MAX_INSPECTED.highlights)
      .meta({ description: 'The best first.' }),
  })
  .meta({ id: 'HostInspection', description: 'What is in a demo.' });
export type HostInspection = z.infer<typeof HostInspection>;

export const InspectedRequest = z
  .object({
    fence: Fence,
    demo: HostInspection,
    tracks: UploadedFile.extend({
      bytes: z.int().min(1).max(MAX_TRACKS_BYTES).meta({ description: 'Its size.' }),
    })
      .optional()
      .meta({ description: 'The uploaded `tracks`, if the grant named them among `optional_files`.' }),
  })
  .meta({ id: 'Inspected', description: 'The demo is read, and this is in it.' });
export type InspectedRequest = z.infer<typeof InspectedRequest>;

const ReadyMoment = SubmitRequest.pick({ demo_url: true, steam64_id: true, round: true, timeline: true });

export const DemoMatch = z
  .object({
    ...match,
    highlights: z
      .array(
        z
          .object({
            ...highlight,
            request: ReadyMoment.meta({ description: 'The body of a submit that makes a clip of it.' }),
          })
          .meta({
            id: 'DemoHighlight',
            description: 'What one player did in one round: docs/rules.md has the scores.',
          }),
      )
      .meta({ description: 'The best first.' }),
    best_of: ReadyMoment.nullable().optional().meta({
      description:
        'The body of a submit that shows the best highlights one after the other; null if there is none. Absent without `best_of` in the query.',
    }),
  })
  .meta({ id: 'DemoMatch', description: 'What is in a demo.' });
export type DemoMatch = z.infer<typeof DemoMatch>;

export const Demo = z
  .object({
    id: z.uuid().meta({ description: 'The demo.' }),
    demo_url: z.string().meta({ description: 'As it was sent.' }),
    state: z.enum(['pending', 'ready', 'error']).meta({
      description: '`pending` until a host has read it, then `ready`, or `error` if it cannot be read and never was.',
    }),
    error_code: JobErrorCode.nullable().meta({
      description: 'Why the last try failed, as of a job. While `pending`, there will be another.',
    }),
    diagnosis: Diagnosis.nullable().meta({ description: 'The same, with its cause; null where `error_code` is.' }),
    created_at: z.iso.datetime().meta({ description: 'When it was asked for.' }),
    finished_at: z.iso.datetime().nullable().meta({ description: 'When it was read, or given up; null before.' }),
    expires_at: z.iso.datetime().nullable().meta({ description: 'When this is forgotten; null while `pending`.' }),
    replay_url: z.string().nullable().optional().meta({
      description: 'The page that plays the demo; null while there is none. Absent unless `replay` was asked for.',
    }),
    match: DemoMatch.nullable().meta({
      description: 'What is in it, once it is `ready`. A demo that is read again keeps what was found before.',
    }),
  })
  .meta({ id: 'Demo', description: 'A demo that was looked into.' });
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
  // With a test key, it is stored before the end.
  const match = (status === 'done' || !job.testEnd ? found : undefined) ?? null;
  return {
    ...{ id, demo_url },
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
