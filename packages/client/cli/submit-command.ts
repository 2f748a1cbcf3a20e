import { Command, type OptionValues } from 'commander';
import { cutListOf } from '../demos.ts';
import type { Plan, Problem, SubmitRequest } from '../index.ts';
import { ACCOUNT_COMMANDS } from '../shapes.ts';
import { demoUrlOf, followToItsEnd, inspected } from './follow-job.ts';
import { type CommandField, json, jsonFile, objectFile, optionOf, segment, setting } from './operation-commands.ts';
import { forPeople, isForPeople, print, tell } from './output.ts';
import { asClient, isJson, UsageError } from './settings.ts';

/** Parsers of options that are repeated, or take JSON. */
const PARSERS = { timeline: segment, commands: setting, extras: json };
const { demo_url: _, fallback, ...FIELDS } = ACCOUNT_COMMANDS.submitClip.fields;
/** The option of each field of a request. The demo is an argument. */
const OPTIONS = Object.entries<CommandField>({ ...FIELDS, fallback: { ...fallback, kind: 'text' } }).map(
  ([field, described]) => {
    const parse = (PARSERS as Readonly<Record<string, (text: string, before: unknown) => unknown>>)[field];
    const option = optionOf(field, parse ? { ...described, kind: 'text' } : described);
    return [field, parse ? option.argParser(parse) : option] as const;
  },
);

export function addRequestOptions(command: Command): Command {
  for (const [, option] of OPTIONS) command.addOption(option);
  return command
    .option('--timeline <file>', 'a JSON file with the segments', jsonFile)
    .option('--request <file>', 'a JSON file with the whole request, or with what the options leave out', objectFile);
}

/** Returns the body of a submit. The service checks it, with better messages than ours. */
export function requestOf(demoUrl: string | undefined, options: OptionValues): SubmitRequest {
  if (options.timeline !== undefined && options.segment !== undefined) {
    throw new UsageError('Give either --timeline or --segment.');
  }
  const typed = OPTIONS.map(([field, option]) => [field, options[option.attributeName()]]);
  const fields = Object.entries({ timeline: options.timeline, demo_url: demoUrl });
  const given = [...typed, ...fields].filter(([, value]) => value !== undefined);
  return { ...options.request, ...Object.fromEntries(given) };
}

/** `tickreel submit`: submits a job from options, or a whole request from a file. */
export function submitCommand(): Command {
  return addRequestOptions(
    new Command('submit')
      .description('submit a render job')
      .argument('[demo]', 'where the demo lies, or a file, which is uploaded'),
  )
    .option('--dry-run', 'inspect the demo, show the shots of the clip, and submit nothing')
    .option('--watch', 'follow the job to its end; exit status 1 if it fails')
    .action(async (demo: string | undefined, options: OptionValues, command: Command) => {
      const client = asClient(command);
      const demoUrl = demo === undefined ? undefined : await demoUrlOf(client, demo);
      const request = requestOf(demoUrl, options);
      if (options.dryRun) {
        await inspected(client, request.demo_url);
        const plan = await client.clips.plan(request);
        return print(plan, isJson(command), planTable(plan));
      }
      // A demo that is not inspected has no plan. The submit is not delayed by retries.
      const once = { maxRetries: 0 };
      const plan = isForPeople(isJson(command)) ? await client.clips.plan(request, once).catch(() => null) : null;
      if (plan) process.stdout.write(`${forPeople(planTable(plan))}\n\n`);
      const { body_differs, ...submitted } = await client.clips.submit(request);
      if (body_differs) tell('The job of this key was submitted with another request.');
      if (options.watch) await followToItsEnd(client, submitted.job_id, command, submitted);
      else print(submitted, isJson(command));
    });
}

/** Returns a plan for people: a row for each card and shot, in the order of the clip. */
function planTable(plan: Plan): object {
  const { cards: _, shots: __, ...totals } = plan;
  const parts = cutListOf(plan).map((part) => {
    const shot = 'kind' in part ? null : part;
    const shows = 'kind' in part ? part.kind : part.subject_steam64_id === undefined ? 'shot' : 'victim';
    const ticks = shot && `${shot.start_tick}–${shot.end_tick}`;
    return {
      shows,
      player: shot?.steam64_id,
      round: shot?.round,
      ticks,
      kills: shot?.kill_ticks.length,
      speed: shot && (shot.speed ?? 1),
      seconds: part.seconds,
    };
  });
  return { ...totals, parts };
}

/** Replaces each problem by its detail, for a table. */
export function withDetails(list: readonly { readonly problem: Problem | null }[]): readonly object[] {
  return list.map((one) => ({ ...one, problem: one.problem?.detail ?? null }));
}

/** `tickreel submit-batch`: submits many jobs from a file. Exit status 1 if one is refused. */
export function submitBatchCommand(): Command {
  return new Command('submit-batch')
    .description('submit up to 50 jobs out of a JSON file: a list of requests, or {"defaults", "clips"}')
    .argument('<file>')
    .action(async (file: string, _, command: Command) => {
      const content = jsonFile(file);
      const { defaults, clips } = Array.isArray(content) ? { defaults: undefined, clips: content } : Object(content);
      if (!Array.isArray(clips)) throw new UsageError(`${file} has no list of requests.`);
      const { results } = await asClient(command).clips.submitBatch(clips, defaults);
      print({ results }, isJson(command), { results: withDetails(results) });
      if (results.some(({ job_id }) => job_id === null)) process.exitCode = 1;
    });
}
