import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostInspection } from '#protocol/demos.ts';
import { decompressDemo } from '#render-host/decompress/decompress-demo.ts';
import { demoView } from '#render-host/match/demo-view.ts';
import { inspectMatch } from '#render-host/match/inspect-match.ts';
import { parseDemo } from '#render-host/match/parse-demo.ts';

/** Inspects a demo, compressed or not. Throws an Error that says why it cannot be read. */
export async function inspectDemo(demoFile: string, workDir: string): Promise<HostInspection> {
  const { signal } = new AbortController();
  const path = join(workDir, 'listed');
  await copyFile(demoFile, path);
  const unpacked = await decompressDemo({ path, workDir, signal });
  if (!unpacked.ok) throw new Error(`${unpacked.code}: ${unpacked.detail}`);
  const parsed = await parseDemo({ demoPath: unpacked.demoPath, workDir, signal });
  if (!parsed.ok) throw new Error(`${parsed.code}: ${parsed.detail}`);
  return demoView(inspectMatch(parsed.match));
}
