import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, type StackOptions, startStack } from '#stack/stack.ts';

export type TestStack = Awaited<ReturnType<typeof startTestStack>>;

/** Starts a stack without render hosts in a folder of its own. `remove` stops it and deletes the folder. */
export async function startTestStack(options: Partial<StackOptions> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tickreel-test-'));
  const stack: Stack = await startStack({
    port: 0,
    dataDir,
    hosts: 0,
    timeScale: 1,
    logLevel: 'silent',
    ...options,
  });
  const remove = async () => {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...stack, dataDir, remove };
}
