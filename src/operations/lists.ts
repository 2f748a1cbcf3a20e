import { counterpartId } from '../../domain/ids.ts';
import type { Bindings } from '../../durable-objects/bindings.ts';
import { json } from '../../http/json.ts';
import { parseQuery } from '../../http/read-body.ts';
import { AssetListQuery } from '../../protocol/assets.ts';
import { clipView } from '../../protocol/clip-view.ts';
import { isoTime } from '../../protocol/job-view.ts';
import { ClipListQuery, type Cursor, formatCursor, JobListQuery, UsageQuery } from '../../protocol/lists.ts';
import type { Caller } from '../../storage/accounts.ts';
import { clipOfRow } from '../../storage/clip-index.ts';
import { createDatabase } from '../../storage/database.ts';
import { selectAssets, selectClips, selectJobs } from '../../storage/lists.ts';
import { sumUsage } from '../../storage/usage.ts';
import { assetView } from './asset-view.ts';

/** `GET /api/jobs`: newest first, out of the index, which follows the jobs by some milliseconds. */
export async function listJobs(env: Bindings, caller: Caller, search: URLSearchParams): Promise<Response> {
  const query = parseQuery(search, JobListQuery);
  const rows = await selectJobs(createDatabase(env.DB), caller.accountId, query);
  return json({
    jobs: rows.slice(0, query.limit).map((row) => ({
      id: row.id,
      status: row.status,
      mode: row.mode,
      priority: row.priority,
      fps: row.fps,
      resolution: row.resolution,
      clip_id: row.status === 'done' ? counterpartId(row.id) : null,
      error_code: row.errorCode,
      created_at: isoTime(row.createdAt),
      finished_at: row.finishedAt === null ? null : isoTime(row.finishedAt),
    })),
    next_cursor: nextCursor(rows, query.limit),
  });
}

/** `GET /api/clips`: newest first, out of the index. */
export async function listClips(env: Bindings, caller: Caller, search: URLSearchParams): Promise<Response> {
  const query = parseQuery(search, ClipListQuery);
  const rows = await selectClips(createDatabase(env.DB), caller.accountId, query);
  return json({
    clips: rows.slice(0, query.limit).map((row) => clipView(row.id, row.jobId, clipOfRow(row))),
    next_cursor: nextCursor(rows, query.limit),
  });
}

/** `GET /api/assets`: newest first. */
export async function listAssets(env: Bindings, caller: Caller, search: URLSearchParams): Promise<Response> {
  const query = parseQuery(search, AssetListQuery);
  const rows = await selectAssets(createDatabase(env.DB), caller.accountId, query);
  return json({ assets: rows.slice(0, query.limit).map(assetView), next_cursor: nextCursor(rows, query.limit) });
}

/** `GET /api/usage`: seconds rendered, also of clips that are gone. Re-runs count each time. */
export async function getUsage(env: Bindings, caller: Caller, search: URLSearchParams): Promise<Response> {
  const { from = 0, ...query } = parseQuery(search, UsageQuery);
  // A clock that is ahead of ours asks for nothing, and gets that.
  const to = query.to ?? Math.max(from, Date.now());
  const lines = await sumUsage(createDatabase(env.DB), caller.accountId, from, to);
  return json({
    from: isoTime(from),
    to: isoTime(to),
    usage: lines.map(({ seconds, ...line }) => ({ ...line, rendered_seconds: seconds })),
  });
}

function nextCursor(rows: readonly Cursor[], limit: number): string | null {
  const last = rows[limit - 1];
  return last && rows.length > limit ? formatCursor(last) : null;
}
