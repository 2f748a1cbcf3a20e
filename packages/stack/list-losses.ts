import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { reasonOf } from '#domain/lib/text.ts';
import { readBackupFiles } from './backups.ts';

/** A difference between an old data folder and a backup. */
export interface Loss {
  /** `jobs`, a table of the index, or `files`: a database that cannot be read. */
  readonly kind: string;
  readonly id: string;
  /** `lost`: made after the backup. `older`: changed since. `back`: deleted since, and there again. */
  readonly change: 'lost' | 'older' | 'back' | 'unreadable';
  /** What is lost; of `older` only what has changed, as it was last. */
  readonly facts: Facts;
}
type Facts = Readonly<Record<string, unknown>>;
type Things = ReadonlyMap<string, { readonly kind: string; readonly id: string; readonly facts: Facts }>;

/** What is read of a job's object. */
const JobState = z.object({
  id: z.string(),
  accountId: z.string(),
  clipId: z.string(),
  status: z.string(),
  run: z.int(),
  createdAt: z.int(),
  clip: z.object({ state: z.string(), isSaved: z.boolean() }).nullable().optional(),
});
const JobRequest = z.object({ demo_url: z.string(), idempotency_key: z.string().nullable().optional() });

const JOB = /^objects\/[^/]*RenderJob\/[0-9a-f]{64}\.sqlite$/;
const INDEX = /^d1\/.*\/[0-9a-f]{64}\.sqlite$/;
/** The tables that follow the jobs. */
const OF_JOBS = new Set(['jobs', 'clips']);
/** Columns that change by themselves, and those that nobody can read. */
const SKIPPED = /^(used_at|seen_at|used|parts|capabilities|revision)$|sha256|salt/;

/**
 * Lists what an old data folder has and a backup has not, and what was deleted since: rows of the index, and jobs, from
 * their objects. A file that cannot be read is listed as such. The old folder may be of a stack that runs.
 *
 * @throws an Error if the backup cannot be read.
 */
export async function* listLosses(backup: string, old: string): AsyncGenerator<Loss> {
  const { files } = await readBackupFiles(backup);
  const isRead = (path: string) => JOB.test(path) || INDEX.test(path);
  const here = new Set((await readdir(old, { recursive: true })).filter(isRead));
  for (const path of new Set([...here, ...Object.keys(files).filter(isRead)])) {
    try {
      const was = path in files ? thingsOf(backup, path, '?immutable=1') : new Map();
      yield* differences(was, here.has(path) ? thingsOf(old, path) : new Map());
    } catch (error) {
      yield { kind: 'files', id: path, change: 'unreadable', facts: { reason: reasonOf(error) } };
    }
  }
}

function* differences(was: Things, is: Things): Generator<Loss> {
  for (const [key, thing] of is) {
    const before = was.get(key);
    if (before === undefined) yield { ...thing, change: 'lost' };
    const changed = Object.entries(thing.facts).filter(([name, fact]) => before && before.facts[name] !== fact);
    if (changed.length > 0) yield { ...thing, change: 'older', facts: Object.fromEntries(changed) };
  }
  for (const [key, thing] of was) if (!is.has(key)) yield { ...thing, change: 'back' };
}

/** `search`: of the address of a file. SQLite writes a log beside a file, unless it is immutable. */
function thingsOf(folder: string, path: string, search = ''): Things {
  const url = pathToFileURL(join(folder, path));
  url.search = search;
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const names = tables.map(({ name }) => String(name));
    const rowsOf = (table: string) => database.prepare(`SELECT * FROM "${table}"`).all();
    const things = JOB.test(path)
      ? names.filter((name) => name === 'job').flatMap((name) => rowsOf(name).map(jobOf))
      : names
          .filter((name) => !OF_JOBS.has(name))
          .flatMap((kind) =>
            rowsOf(kind).flatMap(({ id, ...row }) => (typeof id === 'string' ? [{ kind, id, facts: shown(row) }] : [])),
          );
    return new Map(things.map((thing) => [`${thing.kind} ${thing.id}`, thing]));
  } finally {
    database.close();
  }
}

const shown = (row: Facts): Facts => Object.fromEntries(Object.entries(row).filter(([name]) => !SKIPPED.test(name)));

function jobOf(row: Facts) {
  const { id, accountId, clipId, status, run, createdAt, clip } = JobState.parse(JSON.parse(String(row.state)));
  const { demo_url, idempotency_key = null } = JobRequest.parse(JSON.parse(String(row.request)));
  const created_at = new Date(createdAt).toISOString();
  const ofClip = { clip: clip?.state ?? null, saved: clip?.isSaved ?? false };
  const facts = {
    account_id: accountId,
    clip_id: clipId,
    status,
    run,
    ...ofClip,
    created_at,
    idempotency_key,
    demo_url,
  };
  return { kind: 'jobs', id, facts };
}
