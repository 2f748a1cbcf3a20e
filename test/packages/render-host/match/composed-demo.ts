import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { composeMatch, encodeDemo, type MatchOutline, type RecordingOptions } from '#demo-writer/index.ts';
import type { Match } from '#render-host/match/match.ts';
import { readMatch } from '#render-host/match/read-match.ts';

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
