import { Command, Option, type OptionValues } from 'commander';
import type { TickreelOperator } from '../operator.ts';
import { asOperator } from './as-operator.ts';
import { bind } from './bind.ts';
import { type ListObjects, objectsInFolder, objectsOnCloudflare } from './object-ids.ts';
import { tell } from './output.ts';
import { UsageError } from './settings.ts';

/** What an operator does after a loss: `tickreel admin reindex|clips`. docs/recovery.md says when. */
export function recoveryCommands(): Command[] {
  return [reindex(), clips()];
}

/** Objects that one call names. */
const AT_ONCE = 100;

function reindex(): Command {
  const command = new Command('reindex')
    .description('have all jobs write their rows of the index anew')
    .option('--folder <folder>', 'of a stack on this machine: its data folder')
    .addOption(new Option('--script <name>', 'of a deployed Worker: its name').default('tickreel'))
    .option('--after <place>', 'where one that was cut short had come to');
  bind(command, asOperator, async (operator, _, options) => {
    const totals = { indexed: 0, current: 0, empty: 0, failed: [] as string[] };
    const list = await listOf(options);
    let after: string | undefined = options.after;
    for (;;) {
      const { ids, next } = await list(after, AT_ONCE);
      if (ids.length > 0) await reindexSome(operator, ids, totals);
      if (next === null) return totals;
      after = next;
      const { indexed, current, failed } = totals;
      const done = `${indexed} written, ${current} as they were, ${failed.length} failed`;
      tell(`${done}; cut short, go on with --after ${after}`);
    }
  });
  return command;
}

interface Totals {
  indexed: number;
  current: number;
  empty: number;
  failed: string[];
}

async function reindexSome({ call }: TickreelOperator, ids: readonly string[], totals: Totals): Promise<void> {
  const answer = await call('reindexJobs', { body: { objects: [...ids] } });
  totals.indexed += answer.indexed;
  totals.current += answer.current;
  totals.empty += answer.empty;
  totals.failed.push(...answer.failed);
}

function listOf({ folder, script }: OptionValues): Promise<ListObjects> {
  if (folder !== undefined) return objectsInFolder(folder);
  const { CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_BASE_URL: api } = process.env;
  if (account && token) return objectsOnCloudflare(script, { account, token, api });
  throw new UsageError('Set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN in the environment, or give --folder.');
}

function clips(): Command {
  const group = new Command('clips').description('of all accounts');
  const check = group
    .command('check')
    .description('which clips lack their files')
    .option('--resubmit', 'have these rendered again; their clients hear of a new outcome')
    .option('--after <place>', 'where one that was cut short had come to');
  bind(check, asOperator, async ({ call }, _, { resubmit = false, after }) => {
    let cursor: string | undefined = after;
    let checked = 0;
    let resubmitted = 0;
    const lost: unknown[] = [];
    for (;;) {
      const page = await call('checkClips', { body: { resubmit, ...(cursor === undefined ? {} : { cursor }) } });
      checked += page.checked;
      resubmitted += page.resubmitted;
      lost.push(...page.lost);
      if (page.next_cursor === null) return { checked, resubmitted, lost };
      cursor = page.next_cursor;
      tell(`${checked} checked, ${lost.length} lost; cut short, go on with --after "${cursor}"`);
    }
  });
  return group;
}
