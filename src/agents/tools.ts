import * as z from 'zod';
import { isFinished } from '#domain/job/job.ts';
import { MAX_SEGMENTS, SubmitRequest } from '#protocol/clip/submit.ts';
import { DemoFilter } from '#protocol/demo/demo-filter.ts';
import { type Demo, InspectRequest } from '#protocol/demo/demos.ts';
import { JobListQuery } from '#protocol/job/job-list.ts';
import { demoIdOf } from '#service/demo/inspect-demo.ts';
import { getClip, listClips } from '../api/clips.ts';
import { getDemo, inspectDemo } from '../api/demos.ts';
import { getJob, listJobs } from '../api/jobs.ts';
import { Clip, planClips, renderPlan } from './plans.ts';
import { maySubmit, type Turn } from './turn.ts';

interface Tool {
  /** For models. `npm run openapi` writes the definitions of the tools to src/static. */
  readonly description: string;
  readonly args: z.ZodType;
  /** Rejects with a problem. */
  run(turn: Turn, args: never): Promise<object>;
}

function tool<Args extends z.ZodType>(
  description: string,
  args: Args,
  run: (turn: Turn, args: z.output<Args>) => Promise<object>,
): Tool {
  return { description, args, run };
}

const number = (least: number, most: number) =>
  z.int('must be a whole number').min(least, `must be at least ${least}`).max(most, `must be at most ${most}`);
const wait_seconds = number(0, 20).default(20).describe('Seconds to wait for the end. Call again to wait longer.');
const job_id = z.uuid('must be the id of a job').describe('The job, from `render` or `list`.');
const { weapon, victim, kind, team } = DemoFilter.shape;

/** How much of a demo an answer shows. */
const MOST = { highlights: 20, kills: 100 };

export const TOOLS: Readonly<Record<string, Tool>> = {
  inspect_demo: tool(
    `Reads what is in a demo of Counter-Strike 2: players, rounds, kills and highlights. If the account has not inspected it before, a host downloads it from its address. Takes seconds to minutes: while \`state\` is \`pending\`, call again. Shows at most ${MOST.kills} kills and ${MOST.highlights} highlights; \`counts\` has how many there are, and the filters narrow them. \`player\`, \`attacker\`, \`victim\` and \`assister\` are places in \`players\`, from 0.`,
    z.strictObject({
      demo_url: InspectRequest.shape.demo_url,
      weapon,
      victim,
      kind,
      team,
      wait_seconds,
      headshot: z
        .boolean('must be true or false')
        .optional()
        .describe('Keep only headshots (`true`), or only other kills (`false`).'),
      round: number(1, 999).optional().describe('Keep only kills and highlights of this round.'),
      best_of: number(1, MAX_SEGMENTS).optional().describe('Write a clip of so many of the best highlights.'),
    }),
    async (turn, { demo_url, wait_seconds: seconds, ...query }) => {
      const { service, caller, call, signal } = turn;
      const id = await demoIdOf(caller, demo_url);
      const isKnown = !maySubmit(turn) && (await service.job(id).readDemo(caller.accountId)).ok;
      if (!isKnown) await call(inspectDemo, { body: { demo_url } });
      const read = () => call(getDemo, { id, query });
      return shortened(await until(read, ({ state }) => state !== 'pending', seconds, signal));
    },
  ),
  plan_clips: tool(
    'Plans clips of an inspected demo and renders nothing. Each clip names its moments by `steam64_id` (the kills of a player, in one `round` or in all) or by `timeline` (ranges of ticks), one of both; `clip` of a highlight is such a clip. Returns for each clip its shots, seconds, price and a `plan_id` (null if the key may not submit), or the problem that it has. A plan can be rendered for an hour. `budget` says how many seconds may still be rendered today.',
    z.strictObject({
      demo_url: SubmitRequest.shape.demo_url,
      clips: z
        .array(Clip, 'must be an array of clips')
        .min(1, 'must have at least 1 clip')
        .max(10, 'must have at most 10 clips')
        .describe('The clips to plan. Each clip gets a plan of its own.'),
    }),
    planClips,
  ),
  render: tool(
    'Renders one planned clip, exactly as planned, and uses up its seconds of the budget. This may cost money. Returns a `job_id`. A repeated call with the same plan renders nothing more and returns the same job.',
    z.strictObject({
      plan_id: z.uuid('must be the id of a plan').describe('Id of a plan of `plan_clips`.'),
    }),
    (turn, { plan_id }) => renderPlan(turn, plan_id),
  ),
  watch: tool(
    'Waits until a job has finished, or some seconds, and returns its state. A job in `done` has a clip with its addresses; one in `error` has a `diagnosis`. Call again while it is neither.',
    z.strictObject({ job_id, wait_seconds }),
    async ({ call, signal }, { job_id: id, wait_seconds: seconds }) => {
      const read = () => call(getJob, { id, query: { include: 'diagnosis,progress,queue' } });
      const { payload: _, ...job } = await until(read, ({ status }) => isFinished(status), seconds, signal);
      if (job.clip_id === null) return { job };
      return { job, clip: await call(getClip, { id: job.clip_id, query: { include: 'urls,expiry' } }) };
    },
  ),
  list: tool(
    'Lists the jobs or the clips of the account, newest first.',
    z.strictObject({
      what: z.enum(['jobs', 'clips'], 'must be jobs or clips').describe('The kind of object to list.'),
      status: JobListQuery.shape.status,
      limit: number(1, 50).default(20).describe('Maximum number of items to return.'),
      cursor: z.string('must be a string').optional().describe('The `next_cursor` of the previous page.'),
    }),
    ({ call }, { what, ...query }) =>
      what === 'jobs' ? call(listJobs, { query }) : call(listClips, { query: { ...query, include: 'urls,expiry' } }),
  ),
  explain_failure: tool(
    'Says why a job failed or waits for another attempt, what can be done, and what each attempt found.',
    z.strictObject({ job_id }),
    async ({ call }, { job_id: id }) => {
      const job = await call(getJob, { id, query: { include: 'diagnosis,attempts' } });
      const { status, error_code, diagnosis, attempts } = job;
      return { job_id: id, status, error_code, diagnosis, attempts };
    },
  ),
};

/** Reads once a second until the value is settled, the time is up, or the client has gone. */
async function until<T>(
  read: () => Promise<T>,
  isSettled: (value: T) => boolean,
  seconds: number,
  signal: AbortSignal,
): Promise<T> {
  for (let left = seconds; ; left -= 1) {
    const value = await read();
    if (isSettled(value) || left <= 0 || signal.aborted) return value;
    await scheduler.wait(1000);
  }
}

/** Returns what an agent needs of a demo. `clip` of a highlight is one of the `clips` of `plan_clips`. */
function shortened({ match, ...demo }: Demo): object {
  if (match === null) return demo;
  const { kills, gaps: _, highlights, best_of, ...rest } = match;
  const clipOf = ({ demo_url: __, ...clip }: (typeof highlights)[number]['request']) => clip;
  return {
    ...demo,
    ...rest,
    counts: { kills: kills.length, highlights: highlights.length },
    kills: kills.slice(0, MOST.kills),
    highlights: highlights.slice(0, MOST.highlights).map(({ request, ...one }) => ({ ...one, clip: clipOf(request) })),
    ...(best_of === undefined ? {} : { best_of: best_of && clipOf(best_of) }),
  };
}
