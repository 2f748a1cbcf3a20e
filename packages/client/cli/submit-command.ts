import { Command, Option, type OptionValues } from 'commander';
import { cutListOf } from '../cut-list.ts';
import type { Plan, Problem, SubmitRequest } from '../index.ts';
import { asClient, isJson } from './bind.ts';
import { demoUrlOf, inspected } from './demo-file.ts';
import { forPeople, isForPeople, print, tell } from './output.ts';
import { decimal, json, jsonFile, objectFile, segment, setting, wholeNumber } from './parsers.ts';
import { UsageError } from './settings.ts';
import { followToItsEnd } from './watch.ts';

/** The option of each field of a request. The demo is an argument, and a timeline has two options. */
const OPTIONS: Record<Exclude<keyof SubmitRequest, 'demo_url' | 'timeline'>, string> = {
  steam64_id: 'player',
  round: 'round',
  pre_kill_padding: 'preKillPadding',
  post_kill_padding: 'postKillPadding',
  pov: 'pov',
  merge_gap: 'mergeGap',
  kill_slowdown: 'killSlowdown',
  fps: 'fps',
  resolution: 'resolution',
  commands: 'command',
  hud_killfeed: 'hudKillfeed',
  hud_damage_ticker: 'hudDamageTicker',
  thumbnail_style: 'thumbnailStyle',
  watermark_image_id: 'watermark',
  intro_asset_id: 'intro',
  outro_asset_id: 'outro',
  title_card: 'titleCard',
  card_seconds: 'cardSeconds',
  music_asset_id: 'music',
  idempotency_key: 'key',
  force: 'force',
  fallback: 'fallback',
  extras: 'extras',
  webhook_url: 'webhookUrl',
  webhook_auth_header: 'webhookAuthHeader',
};

/** Adds the options of a request to a command. */
export function addRequestOptions(command: Command): Command {
  return command
    .option('--player <steam64>', 'whose kills to clip')
    .option('--round <number>', 'only the kills of this round', wholeNumber)
    .option('--pre-kill-padding <seconds>', 'how much is shown before each kill', decimal)
    .option('--post-kill-padding <seconds>', 'how much is shown after each kill', decimal)
    .addOption(new Option('--pov <view>', 'whose view of each kill is shown').choices(['killer', 'victim', 'both']))
    .option('--merge-gap <seconds>', 'kills of a round with less time between them stay in one shot', decimal)
    .option('--kill-slowdown <speed>', 'the speed of the game around each kill, 0.1 to 1', decimal)
    .option('--segment <player:start-end[@speed]>', 'a range of ticks seen by a player; also several', segment)
    .option('--timeline <file>', 'a JSON file with the segments', jsonFile)
    .option('--fps <number>', '5 to 120', wholeNumber)
    .option('--resolution <pixels>', '1080 or 1440', wholeNumber)
    .option('--command <name=value>', 'a setting of the game, such as spec_show_xray=1; also several', setting)
    .option('--hud-killfeed', "the service's own killfeed, with this player's kills alone")
    .option('--hud-damage-ticker', 'the damage that the player deals, beside the crosshair')
    .addOption(
      new Option('--thumbnail-style <style>', 'what lies over the thumbnail').choices(['full', 'killfeed', 'none']),
    )
    .option('--watermark <asset>', 'one of your watermarks')
    .option('--intro <asset>', 'one of your intros, shown first')
    .option('--outro <asset>', 'one of your outros, shown last')
    .option('--title-card', 'a card with the title of the clip before the shots')
    .option('--card-seconds <seconds>', 'how long each card is shown', decimal)
    .option('--music <asset>', 'music of your assets, under the clip')
    .option('--key <text>', 'idempotency key')
    .option('--force', 'run the job of this key again')
    .addOption(
      new Option('--fallback <renderer>', 'what makes the clip if the game cannot play the demo').choices(['radar']),
    )
    .option('--extras <json>', 'comes back with the webhook as it is', json)
    .option('--webhook-url <url>', 'where the outcome is reported')
    .option('--webhook-auth-header <text>', 'the Authorization header of that report')
    .option('--request <file>', 'a JSON file with the whole request, or with what the options leave out', objectFile);
}

/** Returns the body of a submit. The service checks it, with better messages than ours. */
export function requestOf(demoUrl: string | undefined, options: OptionValues): SubmitRequest {
  if (options.timeline !== undefined && options.segment !== undefined) {
    throw new UsageError('Give either --timeline or --segment.');
  }
  const fields: [string, unknown][] = Object.entries(OPTIONS).map(([field, option]) => [field, options[option]]);
  fields.push(['demo_url', demoUrl], ['timeline', options.timeline ?? options.segment]);
  const given = Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  return { ...options.request, ...given };
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
      ...{ shows, player: shot?.steam64_id, round: shot?.round, ticks, kills: shot?.kill_ticks.length },
      ...{ speed: shot && (shot.speed ?? 1), seconds: part.seconds },
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
