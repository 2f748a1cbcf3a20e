import { readFile, writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Command, Option, type OptionValues } from 'commander';
import { RESOLUTIONS } from '../../domain/picture.ts';
import { reasonOf } from '../../domain/reason.ts';
import { FPS } from '../../domain/render-order.ts';
import type { JobNotice } from '../../protocol/job-notice.ts';
import { API_ROUTES, PUBLIC_ROUTES } from '../../protocol/routes.ts';
import { type ApiRequest, requestTo } from '../call.ts';
import { createTickreelClient } from '../tickreel-client.ts';
import { bindRequest, type RequestOf } from './bind-request.ts';
import { asClient, ask, loadAccess, UsageError } from './context.ts';
import { print } from './output.ts';

const run = (command: Command, request: RequestOf) => bindRequest(command, asClient, request);

/** `tickreel submit`: a job out of options, or a whole request out of a file. */
export function submitCommand(): Command {
  return new Command('submit')
    .description('submit a render job')
    .argument('[demo-url]', 'where the demo lies')
    .option('--player <steam64>', 'whose kills to clip')
    .option('--round <number>', 'only the kills of this round', Number)
    .option('--fps <number>', `${FPS.least} to ${FPS.most}`, Number)
    .option('--resolution <pixels>', RESOLUTIONS.join(' or '), Number)
    .option('--watermark <asset>', 'one of your watermarks')
    .option('--webhook-url <url>', 'where the outcome is reported')
    .option('--key <text>', 'idempotency key')
    .option('--request <file>', 'a JSON file with the whole request, or with what the options leave out')
    .option('--watch', 'follow the job to its end', false)
    .action(async (demoUrl: string | undefined, options, command: Command) => {
      const request = {
        ...(options.request ? await readJsonFile(options.request) : {}),
        ...given({
          demo_url: demoUrl,
          steam64_id: options.player,
          round: options.round,
          fps: options.fps,
          resolution: options.resolution,
          watermark_image_id: options.watermark,
          webhook_url: options.webhookUrl,
          idempotency_key: options.key,
        }),
      };
      const call = asClient();
      const response = await call({ ...requestTo(API_ROUTES.submitClip), body: request });
      const { job_id } = (await response.json()) as { job_id: string };
      print({ job_id, is_new: response.status === 201 }, command.optsWithGlobals().json === true);
      if (options.watch) await watch(job_id);
    });
}

/** `tickreel jobs …`. */
export function jobsCommand(): Command {
  const group = new Command('jobs').description('what was submitted');
  run(
    group.command('list').description('newest first').option('--status <status>').option('--limit <n>'),
    (_, options) => queried(API_ROUTES.listJobs, options),
  );
  run(group.command('show <job>').description('read a job'), ([id = '']) => requestTo(API_ROUTES.getJob, { id }));
  run(group.command('cancel <job>').description('end it where it has not finished'), ([id = '']) =>
    requestTo(API_ROUTES.cancelJob, { id }),
  );
  run(group.command('resubmit <job>').description('run it again in place'), ([id = '']) =>
    requestTo(API_ROUTES.resubmitJob, { id }),
  );
  run(group.command('resend-webhook <job>').description('send its outcome again'), ([id = '']) =>
    requestTo(API_ROUTES.resendWebhook, { id }),
  );
  run(group.command('deliveries <job>').description('its webhooks with each attempt'), ([id = '']) =>
    requestTo(API_ROUTES.listDeliveries, { id }),
  );
  group
    .command('watch <job>')
    .description('follow it to its end; exit status 1 if it fails')
    .action((job: string) => watch(job));
  return group;
}

/** `tickreel clips …`. */
export function clipsCommand(): Command {
  const group = new Command('clips').description('what was rendered');
  run(
    group.command('list').description('newest first').option('--saved <true|false>').option('--limit <n>'),
    (_, options) => queried(API_ROUTES.listClips, options),
  );
  run(group.command('show <clip>').description('read a clip'), ([id = '']) => requestTo(API_ROUTES.getClip, { id }));
  run(group.command('save <clip>').description('keep it for good'), ([id = '']) =>
    requestTo(API_ROUTES.saveClip, { id }),
  );
  run(group.command('unsave <clip>').description('let it expire'), ([id = '']) =>
    requestTo(API_ROUTES.unsaveClip, { id }),
  );
  run(group.command('delete <clip>').description('delete its files'), ([id = '']) =>
    requestTo(API_ROUTES.deleteClip, { id }),
  );
  group
    .command('download <clip> <file>')
    .description('save the MP4')
    .action(async (clip: string, file: string) => {
      const response = await asClient()(requestTo(PUBLIC_ROUTES.clipVideo, { id: clip }));
      if (response.body) await writeFile(file, response.body);
    });
  return group;
}

/** `tickreel assets …`. */
export function assetsCommand(): Command {
  const group = new Command('assets').description('watermarks and outros');
  run(group.command('list').description('newest first').addOption(assetKind()), (_, options) =>
    queried(API_ROUTES.listAssets, options),
  );
  run(group.command('show <asset>').description('read an asset'), ([id = '']) =>
    requestTo(API_ROUTES.getAsset, { id }),
  );
  run(group.command('delete <asset>').description('remove it from your account'), ([id = '']) =>
    requestTo(API_ROUTES.deleteAsset, { id }),
  );
  group
    .command('upload <file>')
    .description('a PNG, JPEG or WebP')
    .addOption(assetKind('watermark'))
    .option('--name <text>', 'what to call it', '')
    .action(async (file: string, { kind, name }: { kind: string; name: string }, command: Command) => {
      const type = IMAGE_TYPES[extname(file).toLowerCase()];
      if (!type) throw new UsageError(`${file} is none of ${Object.keys(IMAGE_TYPES).join(', ')}.`);
      const image = new Blob([await readFile(file)], { type });
      const request = queried(API_ROUTES.uploadAsset, { kind, name: name || basename(file) });
      print(await ask(asClient(), { ...request, body: image }), command.optsWithGlobals().json === true);
    });
  return group;
}

const assetKind = (unlessSet?: string) =>
  new Option('--kind <kind>', 'what it is for').choices(['watermark', 'outro']).default(unlessSet);
const IMAGE_TYPES: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};

/** `tickreel usage`. */
export function usageCommand(): Command {
  const command = new Command('usage').description('seconds rendered').option('--from <time>').option('--to <time>');
  run(command, (_, options) => queried(API_ROUTES.getUsage, options));
  return command;
}

async function watch(jobId: string): Promise<void> {
  const client = createTickreelClient(loadAccess('TICKREEL_API_KEY'));
  let last: JobNotice | null = null;
  for await (const notice of client.watch(jobId)) {
    last = notice;
    const share = notice.progress === null ? '' : ` ${Math.floor(notice.progress * 100)} %`;
    process.stderr.write(`${notice.status}${share}${notice.error_code ? ` ${notice.error_code}` : ''}\n`);
  }
  if (last?.status !== 'done') process.exitCode = 1;
}

async function readJsonFile(path: string): Promise<object> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}`);
  }
}

/** A request whose query is the options that were given. */
function queried(line: CollectionLine, options: OptionValues): ApiRequest {
  const query = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)]));
  const { method, path } = requestTo(line);
  return { method, path: `${path}?${query}` };
}
type CollectionLine = (typeof API_ROUTES)['listJobs' | 'listClips' | 'listAssets' | 'getUsage' | 'uploadAsset'];

/** What was given, without what was not. */
function given(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
