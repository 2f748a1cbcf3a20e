import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command, type OptionValues } from 'commander';
import { escapeControls } from '#domain/lib/text.ts';
import { errorOf } from '../errors.ts';
import { createTickreelOperator, type TickreelOperator } from '../operator.ts';
import type { AccountExport } from '../operator-shapes.ts';
import { saveBody } from '../save-body.ts';
import { print, tell } from './output.ts';
import { isJson, MAX_RETRIES, neededSettings } from './settings.ts';

export function asOperator(command: Command): TickreelOperator {
  const { url, admin_token } = neededSettings(command, 'url', 'admin_token');
  return createTickreelOperator({ baseUrl: url, adminToken: admin_token, maxRetries: MAX_RETRIES });
}

/** The fields of a record that name files. */
interface FilesOfRecord {
  readonly table?: string;
  readonly id?: string;
  readonly clip?: {
    readonly id: string;
    readonly state: string;
    readonly urls: Readonly<Record<string, string>>;
  } | null;
}

/**
 * `tickreel admin accounts export`: writes JSON Lines. The file gets its name at the end, so that an interrupted export
 * leaves none that looks whole.
 */
export function exportCommand(): Command {
  return new Command('export')
    .description('write all that is stored of an account into a folder')
    .argument('<account>')
    .requiredOption('--out <folder>', 'the folder')
    .option('--files', 'also its files: clips, thumbnails, assets and demos')
    .action(async (id: string, { out, files }: { out: string; files?: true }, command: Command) => {
      const { call } = asOperator(command);
      const settings = neededSettings(command, 'url', 'admin_token');
      const file = join(out, 'account.jsonl');
      const part = `${file}.part`;
      const done = { records: 0, files: 0 };
      async function* lines() {
        for (let query: { cursor?: string } | null = {}; query !== null; ) {
          const page: AccountExport = await call('exportAccount', { params: { id }, query });
          for (const record of page.records) {
            yield `${JSON.stringify(record)}\n`;
            done.records++;
            if (files) done.files += await saveFiles(record, id, out, settings);
          }
          query = page.next_cursor === null ? null : { cursor: page.next_cursor };
          tell(`${done.records} records, ${done.files} files`);
        }
      }
      await mkdir(out, { recursive: true });
      try {
        await pipeline(lines, createWriteStream(part));
        await rename(part, file);
      } finally {
        await rm(part, { force: true });
      }
      print({ file, ...done }, isJson(command));
    });
}

/** Saves the files of a record, except those that were deleted since. Returns how many. */
async function saveFiles(
  record: FilesOfRecord,
  account: string,
  out: string,
  { url, admin_token }: Record<'url' | 'admin_token', string>,
): Promise<number> {
  const { table = '', id = '', clip } = record;
  const files: Record<string, string | undefined> = {};
  if (table === 'assets' || table === 'uploads') {
    files[join(table, id)] = `${url}/admin/accounts/${account}/files/${id}`;
  } else if (clip?.state === 'ready') {
    files[join('clips', `${clip.id}.mp4`)] = clip.urls.video;
    files[join('clips', `${clip.id}.jpg`)] = clip.urls.thumbnail;
  }
  let saved = 0;
  for (const [name, address = ''] of Object.entries(files)) {
    const headers = { Authorization: `Bearer ${admin_token}` };
    const response = await fetch(address, table === 'jobs' ? {} : { headers });
    if (response.status === 404 || response.status === 410) continue;
    if (!response.ok) throw await errorOf(response);
    await mkdir(dirname(join(out, name)), { recursive: true });
    await saveBody(response, join(out, name));
    saved++;
  }
  return saved;
}

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
