import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option, type OptionValues } from 'commander';
import { asOperator } from './export-command.ts';
import type { Call } from './operation-commands.ts';
import { tell } from './output.ts';
import { bind, UsageError } from './settings.ts';

/**
 * Calls an operation page by page and merges the answers. After Ctrl-C it ends with the page under way and says where
 * to go on; a second Ctrl-C ends the program.
 */
export async function everyPage(call: Call, fields: Readonly<Record<string, unknown>>): Promise<object> {
  const totals = {};
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    tell('stopping after this batch');
  };
  process.once('SIGINT', stop);
  try {
    for (let more = {}; ; ) {
      const { next_cursor: cursor = null, ...page } = await call({ ...fields, ...more });
      addUp(totals, page);
      if (cursor === null) return totals;
      const counts = Object.entries(totals).map(
        ([name, value]) => `${Array.isArray(value) ? value.length : value} ${name}`,
      );
      tell(`${counts.join(', ')}; ${isStopped ? 'stopped' : 'cut short'}, go on with --cursor "${cursor}"`);
      if (isStopped) {
        process.exitCode = 130;
        return totals;
      }
      more = { cursor };
    }
  } finally {
    process.off('SIGINT', stop);
  }
}

/** Sums numbers and joins lists. */
function addUp(totals: Record<string, unknown>, page: object): void {
  for (const [name, value] of Object.entries(page)) {
    const before = totals[name] ?? (Array.isArray(value) ? [] : 0);
    totals[name] = Array.isArray(before) ? [...before, ...value] : Number(before) + value;
  }
}

/** A page of ids of the objects of jobs, and the position of the next page; null after the last. */
export interface ObjectPage {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/** Returns the page after a position; the first page without one. */
export type ListObjects = (after: string | undefined, limit: number) => Promise<ObjectPage>;

const CLASS = 'RenderJob';
const FILE = /^([0-9a-f]{64})\.sqlite$/;

/** Lists the objects of a stack on this machine: one file each in its data folder. */
async function objectsInFolder(dataFolder: string): Promise<ListObjects> {
  const objects = join(dataFolder, 'objects');
  const folders = await readdir(objects).catch(() => []);
  const folder = folders.find((name) => name.endsWith(CLASS));
  if (folder === undefined) throw new UsageError(`${dataFolder} is no data folder of a stack.`);
  const files = await readdir(join(objects, folder));
  const ids = files.flatMap((name) => FILE.exec(name)?.[1] ?? []).sort();
  return async (after = '', limit) => {
    const behind = ids.filter((id) => id > after);
    return { ids: behind.slice(0, limit), next: behind.length > limit ? (behind[limit - 1] ?? null) : null };
  };
}

interface Cloudflare {
  readonly account: string;
  readonly token: string;
  readonly api?: string | undefined;
}

/**
 * Lists the objects of a deployed Worker by Cloudflare's API ("Durable Objects: List Namespaces, List Objects"). The
 * token may read the account's Workers.
 */
async function objectsOnCloudflare(script: string, { account, token, api }: Cloudflare): Promise<ListObjects> {
  const base = `${api ?? 'https://api.cloudflare.com/client/v4'}/accounts/${account}/workers/durable_objects/namespaces`;
  const get = async (path: string): Promise<Answer> => {
    const response = await fetch(base + path, { headers: { Authorization: `Bearer ${token}` } });
    if (!response.ok)
      throw new Error(`Cloudflare answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
    return response.json();
  };
  let namespace: string | undefined;
  for (let page = 1; namespace === undefined; page++) {
    const { result } = await get(`?page=${page}&per_page=100`);
    namespace = result.find((one) => one.class === CLASS && one.script === script)?.id;
    if (result.length === 0) throw new UsageError(`There is no Worker "${script}" with jobs in this account.`);
  }
  return async (after, limit) => {
    const query = new URLSearchParams({ limit: String(limit), ...(after === undefined ? {} : { cursor: after }) });
    const { result, result_info: info } = await get(`/${namespace}/objects?${query}`);
    const ids = result.filter(({ hasStoredData }) => hasStoredData !== false).map(({ id }) => id);
    return { ids, next: result.length === 0 ? null : (info?.cursors?.after ?? info?.cursor ?? null) || null };
  };
}

/** The fields of an answer that are read. The API has had two names for the position of the next page. */
interface Answer {
  readonly result: readonly {
    readonly id: string;
    readonly class?: string;
    readonly script?: string;
    readonly hasStoredData?: boolean;
  }[];
  readonly result_info?: { readonly cursor?: string | null; readonly cursors?: { readonly after?: string | null } };
}

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
