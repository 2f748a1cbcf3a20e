import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './settings.ts';

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
export async function objectsInFolder(dataFolder: string): Promise<ListObjects> {
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
export async function objectsOnCloudflare(script: string, { account, token, api }: Cloudflare): Promise<ListObjects> {
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
