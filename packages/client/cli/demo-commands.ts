import { Command } from 'commander';
import type { Aspect } from '#domain/clip/render-order.ts';
import { bestRequest } from '../demos.ts';
import type { BatchOutcome, Demo, DemoMatch, Tickreel } from '../index.ts';
import { demoLine, highlightTable, partTable, playerTable, roundTable } from './demo-tables.ts';
import { demoUrlOf, inspected } from './follow-job.ts';
import { wholeNumber } from './operation-commands.ts';
import { isForPeople, print, tell } from './output.ts';
import { asClient, bind, isJson, UsageError } from './settings.ts';
import { withDetails } from './submit-command.ts';

export function demosCommand(): Command {
  const group = new Command('demos').description('what is in a demo, before a clip is made of it');
  group
    .command('inspect <demo>')
    .description('players, rounds and highlights of a demo: its address, or a file')
    .action(async (demo: string, _, command: Command) => {
      const client = asClient(command);
      const found = await inspected(client, await demoUrlOf(client, demo));
      if (!found.match || !isForPeople(isJson(command))) return report(found, command);
      const { match } = found;
      const tables = [demoLine(match), roundTable(match), partTable(match), playerTable(match), highlightTable(match)];
      process.stdout.write(`${tables.filter(Boolean).join('\n\n')}\n`);
    });
  group
    .command('best <demo>')
    .description('the best moments of a demo, and with --submit clips of them')
    .option('--top <number>', 'how many', wholeNumber, 3)
    .option('--submit', 'submit a job for each')
    .option('--fps <number>', 'of these jobs', wholeNumber)
    .option('--resolution <pixels>', 'of these jobs', wholeNumber)
    .option('--aspect <shape>', 'of these jobs: 16:9, 9:16, 1:1 or 4:5')
    .option('--names <show|hide>', 'of players in these clips')
    .action(async (demo: string, options: BestOptions, command: Command) => {
      if (options.top < 1) throw new UsageError('--top has to be 1 or more.');
      const client = asClient(command);
      const found = await inspected(client, await demoUrlOf(client, demo));
      if (!found.match) return report(found, command);
      const best = found.match.highlights.slice(0, options.top);
      if (options.submit && best.length === 0) {
        process.exitCode = 1;
        return tell('There are no highlights in this demo, so no job was submitted.');
      }
      const jobs = options.submit ? await submitAll(client, best, options) : null;
      if (jobs?.some(({ job_id }) => job_id === null)) process.exitCode = 1;
      if (!isForPeople(isJson(command))) return print(jobs ? { jobs } : { highlights: best }, true);
      process.stdout.write(`${highlightTable(found.match, options.top) || 'There are no highlights.'}\n`);
      if (jobs) process.stdout.write('\n');
      if (jobs) print({ jobs: withDetails(jobs) }, false);
    });
  return group;
}

export function uploadsCommand(): Command {
  const group = new Command('uploads').description('demos that you uploaded, or that arrived');
  bind(
    group.command('add <file>').description('upload a demo, and print its address'),
    asClient,
    async (client, [file = '']) => ({
      demo_url: await demoUrlOf(client, file),
    }),
  );
  return group;
}

interface BestOptions {
  readonly top: number;
  readonly submit?: boolean;
  readonly fps?: number;
  readonly resolution?: number;
  readonly aspect?: string;
  readonly names?: 'show' | 'hide';
}

function report(demo: Demo, command: Command): void {
  print(demo, isJson(command));
  if (demo.state === 'error') process.exitCode = 1;
}

/** The most requests of a batch. */
const MOST_SUBMITS = 50;

/** Submits batches. Returns each job with its moment, or the problem for which it was refused. */
async function submitAll({ clips }: Tickreel, best: DemoMatch['highlights'], options: BestOptions) {
  const { fps, resolution, aspect, names } = options;
  // The service's messages about wrong values are better than ours.
  const shared = {
    fps,
    resolution: resolution as 1080 | 1440 | undefined,
    aspect: aspect as Aspect | undefined,
    names,
  };
  const requests = best.map(({ request }) => bestRequest(request));
  const outcomes: BatchOutcome[] = [];
  for (let from = 0; from < requests.length; from += MOST_SUBMITS) {
    outcomes.push(...(await clips.submitBatch(requests.slice(from, from + MOST_SUBMITS), shared)).results);
  }
  return best.map(({ kind, round }, i) => {
    const { job_id = null, problem = null } = outcomes[i] ?? {};
    return { job_id, kind, round, problem };
  });
}
