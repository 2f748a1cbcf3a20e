import { Command, type OptionValues } from 'commander';
import { escapeControls } from '#domain/clean-text.ts';
import { asOperator } from './as-operator.ts';
import { isJson } from './bind.ts';
import { print } from './output.ts';

/** A file of all lines takes longer to arrive than a page. */
const CSV_TIMEOUT_MS = 30 * 60_000;

/** `tickreel admin usage`: the bill, all pages of it. */
export function usageCommand(): Command {
  return new Command('usage')
    .description('bill what accounts rendered, by day and kind')
    .option('--from <day>', 'the first day (UTC), as in 2026-01-31')
    .option('--to <day>', 'the day (UTC) after the last')
    .option('--account <account>', 'only this account, which may be erased')
    .option('--csv', 'print CSV')
    .action(async ({ csv, ...query }: OptionValues, command: Command) => {
      const { call } = asOperator(command);
      if (csv) {
        const asked = { query: { ...query, format: 'csv' } } as const;
        const text: unknown = await call('listUsage', asked, { timeoutMs: CSV_TIMEOUT_MS });
        process.stdout.write(escapeControls(String(text).replaceAll('\r\n', '\n')));
        return;
      }
      let page = await call('listUsage', { query });
      const usage = [...page.usage];
      while (page.next_cursor !== null) {
        page = await call('listUsage', { query: { ...query, cursor: page.next_cursor } });
        usage.push(...page.usage);
      }
      print({ usage, final_before: page.final_before }, isJson(command));
    });
}
