import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Command, Option } from 'commander';
import { asClient, bind, isJson } from './bind.ts';
import { print } from './output.ts';
import { wholeNumber } from './parsers.ts';
import { saveBody } from './save-body.ts';
import { UsageError } from './settings.ts';
import { followToItsEnd } from './watch.ts';

/** What every list can be asked for. */
export function listCommand(group: Command): Command {
  return group
    .command('list')
    .description('newest first')
    .option('--limit <number>', 'how many at most', wholeNumber)
    .option('--cursor <cursor>', 'go on after a page: its next_cursor')
    .option('--created-from <time>', 'made then or later, as in 2026-01-31T12:00:00Z')
    .option('--created-to <time>', 'made before then');
}

/** Options as a query has them: `createdFrom` as `created_from`. */
export function queryOf(options: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

const choice = (flags: string, description: string, choices: readonly string[]) =>
  new Option(flags, description).choices(choices);

const JOB_INCLUDES = 'more: diagnosis, attempts, progress, queue';
const CLIP_INCLUDES = 'more: urls, expiry';

/** `tickreel jobs …`. */
export function jobsCommand(): Command {
  const group = new Command('jobs').description('what was submitted');
  bind(
    listCommand(group)
      .option('--status <status>', 'pending, prefetch, render, done, retrying or error')
      .addOption(choice('--mode <mode>', 'how its moments are chosen', ['round', 'timeline'])),
    asClient,
    (client, _, options) => client.jobs.list(queryOf(options)).page(),
  );
  bind(
    group.command('show <job>').description('read a job').option('--include <names...>', JOB_INCLUDES),
    asClient,
    (client, [id = ''], { include }) => client.jobs.get(id, { include }),
  );
  bind(group.command('cancel <job>').description('end it where it has not finished'), asClient, (client, [id = '']) =>
    client.jobs.cancel(id),
  );
  bind(group.command('resubmit <job>').description('run it again in place'), asClient, (client, [id = '']) =>
    client.jobs.resubmit(id),
  );
  bind(group.command('resend-webhook <job>').description('send its outcome again'), asClient, (client, [id = '']) =>
    client.jobs.resendWebhook(id),
  );
  bind(group.command('deliveries <job>').description('its webhooks with each attempt'), asClient, (client, [id = '']) =>
    client.jobs.deliveries(id),
  );
  group
    .command('watch <job>')
    .description('follow it to its end; exit status 1 if it fails')
    .action(async (job: string, _, command: Command) => {
      const client = asClient(command);
      // Fails at once if the address is wrong. A later outage is waited for.
      await client.jobs.get(job);
      await followToItsEnd(client, job, command);
    });
  return group;
}

/** `tickreel clips …`. */
export function clipsCommand(): Command {
  const group = new Command('clips').description('what was rendered');
  bind(
    listCommand(group)
      .addOption(choice('--state <state>', 'only those in this state', ['ready', 'deleted']))
      .addOption(choice('--saved <yes>', 'kept for good, or not', ['true', 'false'])),
    asClient,
    (client, _, options) => client.clips.list(queryOf(options)).page(),
  );
  bind(
    group.command('show <clip>').description('read a clip').option('--include <names...>', CLIP_INCLUDES),
    asClient,
    (client, [id = ''], { include }) => client.clips.get(id, { include }),
  );
  bind(group.command('save <clip>').description('keep it for good'), asClient, (client, [id = '']) =>
    client.clips.save(id),
  );
  bind(group.command('unsave <clip>').description('let it expire'), asClient, (client, [id = '']) =>
    client.clips.unsave(id),
  );
  bind(group.command('delete <clip>').description('delete its files'), asClient, (client, [id = '']) =>
    client.clips.delete(id),
  );
  bind(group.command('views <clip>').description('how often it was watched, by day'), asClient, (client, [id = '']) =>
    client.clips.views(id),
  );
  bind(group.command('urls <clip>').description('its public addresses'), asClient, async (client, [id = '']) =>
    client.clips.urls(id),
  );
  group
    .command('download <clip> <file>')
    .description('save the MP4')
    .action(async (clip: string, file: string, _, command: Command) =>
      saveBody(await asClient(command).clips.download(clip), file),
    );
  return group;
}

const assetKind = () => choice('--kind <kind>', 'what it is for', ['watermark', 'outro']);
const IMAGE_TYPES: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};

/** `tickreel assets …`. */
export function assetsCommand(): Command {
  const group = new Command('assets').description('watermarks and outros');
  bind(listCommand(group).addOption(assetKind()), asClient, (client, _, options) =>
    client.assets.list(queryOf(options)).page(),
  );
  bind(group.command('show <asset>').description('read an asset'), asClient, (client, [id = '']) =>
    client.assets.get(id),
  );
  bind(group.command('delete <asset>').description('remove it from your account'), asClient, (client, [id = '']) =>
    client.assets.delete(id),
  );
  group
    .command('upload <file>')
    .description('a PNG, JPEG or WebP')
    .addOption(assetKind().default('watermark'))
    .option('--name <text>', "what to call it; the file's name unless given")
    .action(async (file: string, { kind, name }: { kind: 'watermark' | 'outro'; name?: string }, command: Command) => {
      const type = IMAGE_TYPES[extname(file).toLowerCase()];
      if (!type) throw new UsageError(`${file} is none of ${Object.keys(IMAGE_TYPES).join(', ')}.`);
      const image = new Blob([await readFile(file).catch(unreadable)], { type });
      const asset = await asClient(command).assets.upload(image, { kind, name: name ?? basename(file) });
      print(asset, isJson(command));
    });
  return group;
}

export function unreadable(error: Error): never {
  throw new UsageError(`The file cannot be read: ${error.message}`);
}

/** `tickreel viewing …`. */
export function viewingCommand(): Command {
  const group = new Command('viewing').description('how your clips are shown');
  const yes = (flags: string, description: string) => choice(flags, description, ['true', 'false']);
  bind(group.command('show').description('who may embed them, and what their pages say'), asClient, (client) =>
    client.viewing.get(),
  );
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

/** `tickreel usage`. */
export function usageCommand(): Command {
  const command = new Command('usage')
    .description('seconds rendered')
    .option('--from <time>', 'from the beginning of that day, as in 2026-01-31T00:00:00Z')
    .option('--to <time>', 'until then');
  bind(command, asClient, (client, _, options) => client.usage(options));
  return command;
}
