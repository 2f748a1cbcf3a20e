import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Command, Option } from 'commander';
import type { Asset } from '../shapes.ts';
import { asClient, bind, isJson } from './bind.ts';
import { addOperations, listOptions } from './operation-commands.ts';
import { print, tell } from './output.ts';
import { UsageError } from './settings.ts';
import { followToItsEnd } from './watch.ts';

const choice = (flags: string, description: string, choices: readonly string[]) =>
  new Option(flags, description).choices(choices);

const include = (names: string) => new Option('--include <names...>', `more: ${names}`);

export function jobsCommand(): Command {
  const group = addOperations(new Command('jobs').description('what was submitted'), {
    list: [
      'listJobs',
      'newest first',
      ...listOptions(),
      new Option('--status <status>', 'pending, prefetch, render, done, retrying or error'),
      choice('--mode <mode>', 'how its moments are chosen', ['round', 'timeline']),
    ],
    'show <job>': ['getJob', 'read a job', include('diagnosis, attempts, progress, queue, renderer')],
    'cancel <job>': ['cancelJob', 'end it where it has not finished'],
    'resubmit <job>': ['resubmitJob', 'run it again in place'],
    'resend-webhook <job>': ['resendWebhook', 'send its outcome again'],
    'deliveries <job>': ['listDeliveries', 'its webhooks with each attempt'],
  });
  group
    .command('watch <job>')
    .description('follow it to its end; exit status 1 if it fails')
    .action(async (job: string, _, command: Command) => {
      const client = asClient(command);
      // Fails at once if the address is wrong. Later outages are waited for.
      await client.jobs.get(job);
      await followToItsEnd(client, job, command);
    });
  return group;
}

export function clipsCommand(): Command {
  const group = addOperations(new Command('clips').description('what was rendered'), {
    list: [
      'listClips',
      'newest first',
      ...listOptions(),
      choice('--state <state>', 'only those in this state', ['ready', 'deleted']),
      choice('--saved <yes>', 'kept for good, or not', ['true', 'false']),
    ],
    'show <clip>': ['getClip', 'read a clip', include('urls, expiry, renderer')],
    'save <clip>': ['saveClip', 'keep it for good'],
    'unsave <clip>': ['unsaveClip', 'let it expire'],
    'delete <clip>': ['deleteClip', 'delete its files'],
    'views <clip>': ['getClipViews', 'how often it was watched, by day'],
  });
  bind(group.command('urls <clip>').description('its public addresses'), asClient, async (client, [id = '']) =>
    client.clips.urls(id),
  );
  group
    .command('download <clip> <file>')
    .description('save the MP4')
    .action(async (clip: string, file: string, _, command: Command) => {
      await untilKilled((signal) => asClient(command).clips.downloadTo(clip, file, { signal }));
      tell(`Saved ${file}.`);
    });
  return group;
}

/**
 * Aborts the signal of `run` on SIGINT and SIGTERM, so that it removes its files. Then ends the process by that signal.
 */
async function untilKilled(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const end = (name: NodeJS.Signals) => stop.abort(name);
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, end);
  await run(stop.signal).finally(() => {
    for (const name of ['SIGINT', 'SIGTERM']) process.off(name, end);
    if (stop.signal.aborted) process.kill(process.pid, stop.signal.reason);
  });
}

const assetKind = () => choice('--kind <kind>', 'what it is for', ['watermark', 'intro', 'outro', 'music']);
const ASSET_TYPES: Record<string, string> = {
  ...{ '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.webp': 'image/webp' },
  ...{ '.wav': 'audio/wav', '.mp3': 'audio/mpeg', '.flac': 'audio/flac', '.ogg': 'audio/ogg', '.opus': 'audio/ogg' },
};

export function assetsCommand(): Command {
  const group = addOperations(new Command('assets').description('watermarks, intros, outros and music'), {
    list: ['listAssets', 'newest first', ...listOptions(), assetKind()],
    'show <asset>': ['getAsset', 'read an asset'],
    'delete <asset>': ['deleteAsset', 'remove it from your account'],
  });
  group
    .command('upload <file>')
    .description('a PNG, JPEG or WebP; for music a WAV, MP3, FLAC or OGG')
    .addOption(assetKind().default('watermark'))
    .option('--name <text>', "what to call it; the file's name unless given")
    .action(async (file: string, { kind, name }: { kind: Asset['kind']; name?: string }, command: Command) => {
      const type = ASSET_TYPES[extname(file).toLowerCase()];
      if (!type) throw new UsageError(`${file} is none of ${Object.keys(ASSET_TYPES).join(', ')}.`);
      const blob = new Blob([await readFile(file).catch(unreadable)], { type });
      const asset = await asClient(command).assets.upload(blob, { kind, name: name ?? basename(file) });
      print(asset, isJson(command));
    });
  return group;
}

export function unreadable(error: Error): never {
  throw new UsageError(`The file cannot be read: ${error.message}`);
}

export function viewingCommand(): Command {
  const group = addOperations(new Command('viewing').description('how your clips are shown'), {
    show: ['getViewing', 'who may embed them, and what their pages say'],
  });
  const yes = (flags: string, description: string) => choice(flags, description, ['true', 'false']);
  bind(
    group
      .command('change')
      .description('what is not given stays')
      .option('--embed-sites <sites...>', 'who may embed them: any, none, or hosts as example.com and *.example.com')
      .addOption(yes('--show-views <yes>', 'how often a clip was watched, on its page'))
      .addOption(yes('--show-more <yes>', 'more clips of the match or the player, on the page of a clip')),
    asClient,
    (client, _, { embedSites, showViews, showMore }) =>
      client.viewing.change({
        ...(embedSites === undefined ? {} : { embed_sites: sitesOf(embedSites) }),
        ...(showViews === undefined ? {} : { show_views: showViews === 'true' }),
        ...(showMore === undefined ? {} : { show_more: showMore === 'true' }),
      }),
  );
  return group;
}

function sitesOf(given: readonly string[]): string[] | null {
  const [first = ''] = given;
  if (given.length > 1 || (first !== 'any' && first !== 'none')) return [...given];
  return first === 'any' ? null : [];
}

export function addUsage(program: Command): Command {
  return addOperations(program, {
    usage: [
      'getUsage',
      'seconds rendered',
      new Option('--from <time>', 'from the beginning of that day, as in 2026-01-31T00:00:00Z'),
      new Option('--to <time>', 'until then'),
      include('renderer, day'),
    ],
  });
}
