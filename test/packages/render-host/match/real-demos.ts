import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { composeMatch, encodeDemo, type MatchOutline, type RecordingOptions } from '#demo-writer/index.ts';
import type { Match } from '#render-host/match/match.ts';
import { readMatch } from '#render-host/match/read-match.ts';

const folder = process.env.DEMOS_DIR ?? join(import.meta.dirname, '../../../../../shared/demos');

/** Demos recorded by the game. They are not part of the repository: set DEMOS_DIR to a folder that has them. */
export const haveRealDemos = existsSync(join(folder, '14090.dem'));
if (!haveRealDemos) process.stdout.write(`no recorded demos in ${folder} (DEMOS_DIR): their tests are skipped\n`);

export function realDemo(name: string): string {
  return join(folder, name);
}

/** Makes a folder that is deleted after the test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'match-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function writeTestFile(content: Uint8Array): Promise<string> {
  const path = join(await testFolder(), 'match.dem');
  await writeFile(path, content);
  return path;
}

/** Returns the file of a composed match. */
export function composedDemo(outline: MatchOutline, recording: RecordingOptions = {}): Promise<string> {
  return writeTestFile(encodeDemo(composeMatch(outline), recording));
}

/** Reads a composed match. The test fails if it cannot be read. */
export async function readComposed(outline: MatchOutline, recording: RecordingOptions = {}): Promise<Match> {
  const result = await readMatch(await composedDemo(outline, recording));
  if (!result.ok) throw new Error(`${result.code}: ${result.detail}`);
  return result.match;
}
