import { Command, Option, type OptionValues } from 'commander';
import { BEST_MERGE_GAP } from '../demos.ts';
import type { RuleRequest } from '../index.ts';
import { ruleState, ruleText } from '../rule-text.ts';
import { demoUrlOf, inspected } from './follow-job.ts';
import { objectFile, wholeNumber } from './operation-commands.ts';
import { print } from './output.ts';
import { asClient, bind, isJson } from './settings.ts';

export function rulesCommand(): Command {
  const group = new Command('rules').description('what is made by itself when a demo arrives');
  group
    .command('list')
    .description('all rules, with their last runs')
    .action(async (_, command: Command) => {
      const rules = await asClient(command).rules.list();
      const rows = rules.map(({ last_run: last, ...rule }) => ({
        id: rule.id,
        name: rule.name,
        state: ruleState(rule),
        renders: ruleText(rule),
        sends_to: Object.values(rule.send).join(' '),
        last_run: last && (last.detail ?? last.state),
      }));
      print({ rules }, isJson(command), { rules: rows });
    });
  for (const [name, enabled] of Object.entries({ pause: false, resume: true })) {
    const what = enabled ? 'let it act on new demos, with your key' : 'let it act on no new demos';
    bind(group.command(`${name} <rule>`).description(what), asClient, (client, [rule = '']) =>
      client.rules.change(rule, { enabled }),
    );
  }
  group
    .command('try <rule> <demo>')
    .description('show what it would make of a demo, and make nothing')
    .action(async (rule: string, demo: string, _, command: Command) => {
      const client = asClient(command);
      const { demo_url } = await inspected(client, await demoUrlOf(client, demo));
      const trial = await client.rules.try(rule, demo_url);
      const clips = trial.clips.map(({ request: { steam64_id, round, timeline }, plan, problem }) => ({
        player: steam64_id ?? timeline?.[0]?.steam64_id,
        round,
        shots: plan?.shots.length,
        seconds: plan?.seconds,
        price: plan?.price?.amount,
        problem,
      }));
      print(trial, isJson(command), { mismatch: trial.mismatch, clips });
    });
  const create = group
    .command('create [name]')
    .description('when a demo arrives, render this of it and send it there')
    .option('--best <number>', 'render so many of the best moments', wholeNumber)
    .option('--kinds <kinds...>', 'of moments of these kinds, such as ace')
    .option('--kills', 'render all kills, a clip for each player')
    .option('--best-of-each', "render each player's best moment")
    .option('--player <steam64...>', 'only of these players')
    .addOption(new Option('--team <side>', 'only of the team that starts on this side').choices(['T', 'CT']))
    .addOption(new Option('--from <sources...>', 'how the demo came').choices(['ingest', 'faceit', 'upload']))
    .option('--tag <tags...>', 'only demos with one of these tags')
    .option('--map <maps...>', 'only these maps, such as de_mirage')
    .option('--fps <number>', 'of the clips', wholeNumber)
    .addOption(new Option('--discord <url>', 'a webhook of a Discord channel').env('TICKREEL_DISCORD_URL'))
    .option('--webhook-url <url>', 'where the outcome of each clip is reported')
    .option('--paused', 'make it paused: try it, then resume it')
    .option('--file <file>', 'a JSON file with the whole rule, or with what the options leave out', objectFile);
  bind(create, asClient, (client, [name]) => client.rules.create(ruleOf(name, create.opts())));
  return group;
}

/** Returns the rule of a name and options. The service checks it, with better messages than ours. */
function ruleOf(name: string | undefined, { file, ...typed }: OptionValues): RuleRequest {
  const what = typed.kills ? 'kills' : typed.bestOfEach ? 'best_of_each' : file ? undefined : 'highlights';
  const parts = {
    when: { sources: typed.from, tags: typed.tag, maps: typed.map },
    render: { what, limit: typed.best, kinds: typed.kinds, players: typed.player, team: typed.team },
    options: { merge_gap: what && what !== 'kills' ? BEST_MERGE_GAP : undefined, ...file?.options, fps: typed.fps },
    send: { webhook_url: typed.webhookUrl, discord_url: typed.discord },
  };
  const rule = { ...file, ...(name === undefined ? {} : { name }), ...(typed.paused && { enabled: false }) };
  for (const [part, fields] of Object.entries(parts)) {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    if (given.length > 0) rule[part] = { ...rule[part], ...Object.fromEntries(given) };
  }
  return rule;
}
