import { join } from 'node:path';
import type { AddressPolicy } from '../../domain/address-policy.ts';
import type { Failure } from '../../domain/failure.ts';
import { isAcceptableDemoUrl } from '../../protocol/demo-url.ts';
import { type DecompressLimits, decompressDemo } from '../decompress/decompress-demo.ts';
import { type DownloadLimits, downloadDemo } from '../download/download-demo.ts';
import type { Match } from '../match/match.ts';
import { type ParseLimits, parseDemo } from '../match/parse-demo.ts';
import { downloadFraction, type Stage } from './progress.ts';

/** What the stages that read a demo may cost; each has its defaults. */
export interface FetchLimits {
  readonly download?: Partial<DownloadLimits>;
  readonly decompress?: Partial<DecompressLimits>;
  readonly parse?: Partial<ParseLimits>;
}

/** Where the demo, and whatever it redirects to, may lie is said by the policy. */
export interface FetchRequest extends AddressPolicy {
  readonly demoUrl: string;
  readonly workDir: string;
  readonly signal: AbortSignal;
}

export type FetchResult = { readonly ok: true; readonly match: Match; readonly demoPath: string } | Failure;

/**
 * From a demo's URL to its match, and to the demo's file for a renderer that plays it. An archive goes as soon as it is
 * unpacked, so at most an archive and what comes out of it are on disk.
 *
 * @throws the signal's reason when aborted.
 */
export async function fetchMatch(
  { demoUrl, workDir, signal, ...policy }: FetchRequest,
  limits: FetchLimits,
  advance: (stage: Stage, fraction: number) => void,
  onDownloaded: (bytes: number) => void,
): Promise<FetchResult> {
  const path = join(workDir, 'download');
  advance('download', 0);
  const downloaded = await downloadDemo({
    url: demoUrl,
    accepts: (url) => isAcceptableDemoUrl(url, policy),
    allowPrivateAddresses: policy.allowPrivateAddresses,
    outPath: path,
    signal,
    onProgress: (bytes, total) => advance('download', downloadFraction(bytes, total)),
    limits: limits.download ?? {},
  });
  if (!downloaded.ok) return downloaded;
  onDownloaded(downloaded.bytes);
  advance('decompress', 0);
  const unpacked = await decompressDemo({ path, workDir, signal, limits: limits.decompress ?? {} });
  if (!unpacked.ok) return unpacked;
  advance('parse', 0);
  const parsed = await parseDemo({
    demoPath: unpacked.demoPath,
    workDir,
    signal,
    onProgress: (fraction) => advance('parse', fraction),
    limits: limits.parse ?? {},
  });
  return parsed.ok ? { ...parsed, demoPath: unpacked.demoPath } : parsed;
}
