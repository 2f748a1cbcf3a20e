import { Command, InvalidArgumentError } from 'commander';
import { Demo, type DemoMatch } from '../../protocol/demos.ts';
import { JobRef } from '../../protocol/job-view.ts';
import { API_ROUTES } from '../../protocol/routes.ts';
import { type Call, requestTo } from '../call.ts';
import { bindRequest } from './bind-request.ts';
import { asClient } from './context.ts';
import { demoUrlOf } from './demo-file.ts';
import { demoLine, highlightTable, playerTable, roundTable } from './demo-tables.ts';
import { isForPeople, print } from './output.ts';

/** How often it is asked whether the demo is read. */
const ASK_MS = 1000;

/** `tickreel demos …`. */
export function demosCommand(): Command {
  const group = new Command('demos').description('what is in a demo, before a clip is made of it');
  bindRequest(group.command('show <demo>').description('read what was found'), asClient, ([id = '']) =>
    requestTo(API_ROUTES.getDemo, { id }),
  );
  group
    .command('inspect <demo>')
    .description('players, rounds and highlights of a demo, by its address or out of a file')
    .action(async (demo: string, _: unknown, command: Command) => {
      const asJson = command.optsWithGlobals().json === true;
      const found = await inspected(asClient(), await demoUrlOf(demo));
      if (!found.match || !isForPeople(asJson)) return report(found, asJson);
      const { match } = found;
      const tables = [demoLine(match), roundTable(match), playerTable(match), highlightTable(match)];
      process.stdout.write(`${tables.filter(Boolean).join('\n\n')}\n`);
    });
  group
    .command('best <demo>')
    .description('the best moments of a demo, and with --submit clips of them')
    .option('--top <number>', 'how many', positive, 3)
    .option('--submit', 'submit a job for each', false)
    .option('--fps <number>', 'of these jobs', positive)
    .option('--resolution <pixels>', 'of these jobs', positive)
    .action(async (demo: string, options: BestOptions, command: Command) => {
      const asJson = command.optsWithGlobals().json === true;
      const call = asClient();
      const found = await inspected(call, await demoUrlOf(demo));
      if (!found.match) return report(found, asJson);
      const best = found.match.highlights.slice(0, options.top);
      const jobs = options.submit ? await submitAll(call, best, options) : null;
      if (!isForPeople(asJson)) return print(jobs === null ? { highlights: best } : { jobs }, true);
      process.stdout.write(`${highlightTable(found.match, options.top) || 'There are no highlights.'}\n`);
      if (jobs !== null && jobs.length > 0) print({ jobs }, false);
    });
  return group;
}

interface BestOptions {
  readonly top: number;
  readonly submit: boolean;
  readonly fps?: number;
  readonly resolution?: number;
}

/** Waits until a host has read the demo, or it cannot be read. */
async function inspected(call: Call, demo_url: string): Promise<Demo> {
  let demo = Demo.parse(await (await call({ ...requestTo(API_ROUTES.inspectDemo), body: { demo_url } })).json());
  while (demo.state === 'pending') {
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    demo = Demo.parse(await (await call(requestTo(API_ROUTES.getDemo, { id: demo.id }))).json());
  }
  return demo;
}

function report(demo: Demo, asJson: boolean): void {
  print(demo, asJson);
  if (demo.state === 'error') process.exitCode = 1;
}

async function submitAll(call: Call, best: DemoMatch['highlights'], { fps, resolution }: BestOptions) {
  const jobs: { job_id: string; kind: string; round: number }[] = [];
  for (const { request, kind, round } of best) {
    const body = {
      ...request,
      ...(fps === undefined ? {} : { fps }),
      ...(resolution === undefined ? {} : { resolution }),
    };
    const response = await call({ ...requestTo(API_ROUTES.submitClip), body });
    jobs.push({ job_id: JobRef.parse(await response.json()).job_id, kind, round });
  }
  return jobs;
}

function positive(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a positive whole number.');
  return Number(text);
}
