import { Command, Option, type OptionValues } from 'commander';
import { asOperator } from './as-operator.ts';
import { bind } from './bind.ts';
import { addUp } from './every-page.ts';
import { type ListObjects, objectsInFolder, objectsOnCloudflare } from './object-ids.ts';
import { tell } from './output.ts';
import { UsageError } from './settings.ts';

/** The objects that one call names. */
const AT_ONCE = 100;

/** `tickreel admin reindex`: what an operator does after a loss. docs/operate.md says when. */
export function reindexCommand(): Command {
  const command = new Command('reindex')
    .description('have all jobs write their rows of the index anew')
    .option('--folder <folder>', 'of a stack on this machine: its data folder')
    .addOption(new Option('--script <name>', 'of a deployed Worker: its name').default('tickreel'))
    .option('--after <place>', 'where one that was cut short had come to');
  bind(command, asOperator, async ({ call }, _, options) => {
    const totals = { indexed: 0, current: 0, empty: 0, failed: [] };
    const list = await listOf(options);
    let after: string | undefined = options.after;
    for (;;) {
      const { ids, next } = await list(after, AT_ONCE);
      if (ids.length > 0) addUp(totals, await call('reindexJobs', { body: { objects: [...ids] } }));
      if (next === null) return totals;
      after = next;
      const { indexed, current, failed } = totals;
      const done = `${indexed} written, ${current} as they were, ${failed.length} failed`;
      tell(`${done}; cut short, go on with --after ${after}`);
    }
  });
  return command;
}

function listOf({ folder, script }: OptionValues): Promise<ListObjects> {
  if (folder !== undefined) return objectsInFolder(folder);
  const { CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_BASE_URL: api } = process.env;
  if (account && token) return objectsOnCloudflare(script, { account, token, api });
  throw new UsageError('Set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN in the environment, or give --folder.');
}
