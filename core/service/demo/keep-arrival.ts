import { uuidFromBytes } from '#domain/lib/ids.ts';
import { hmacSha256 } from '#platform/digest.ts';
import { keepUpload } from '#storage/demo/uploads.ts';
import { selectActiveRules } from '#storage/rule/rules.ts';
import type { RuleDefinition } from '#storage/schema/rules.ts';
import type { UploadRow } from '#storage/schema/schema.ts';
import type { Service } from '../lib/service.ts';

/**
 * Completes an upload, or keeps a complete one that comes again, and begins the runs of the rules that act on it, in one
 * transaction. Returns null like `keepUpload`. A rule's run needs the demo as long as a job may wait.
 */
export async function keepArrival(
  { database, settings, now }: Pick<Service, 'database' | 'settings' | 'now'>,
  upload: UploadRow,
  { sha256, facts }: { readonly sha256: string; readonly facts?: UploadRow['facts'] | undefined },
): Promise<UploadRow | null> {
  const acting = (await selectActiveRules(database, upload.accountId)).filter((rule) =>
    actsOn(rule.definition, upload),
  );
  const runs = await Promise.all(
    acting.map(async ({ id }) => ({ id: uuidFromBytes(await hmacSha256(id)(sha256), 8), ruleId: id })),
  );
  const at = now();
  const kept = Math.max(settings.demoTtl, runs.length > 0 ? settings.schedule.runDeadline : 0);
  const set = { completedAt: upload.completedAt ?? at, expiresAt: at + kept, sha256, facts };
  return keepUpload(database, upload, at, set, runs);
}

function actsOn({ when }: RuleDefinition, { source, tag }: UploadRow): boolean {
  return (when.sources?.includes(source) ?? true) && (!when.tags || (tag !== null && when.tags.includes(tag)));
}
