import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { superviseChild } from '#render-host/machine/supervised-child.ts';

const CHILD = new URL('../../../../packages/render-host/machine/supervised-child.ts', import.meta.url);

/** Runs a process with these lines, and returns its end and the fractions that it reported. */
async function run(lines: string) {
  const folder = await mkdtemp(join(tmpdir(), 'child-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'child.mjs');
  await writeFile(path, `import { endWithParent, sendAnswer } from '${CHILD}';\nendWithParent();\n${lines}`);
  const fractions: number[] = [];
  const end = await superviseChild<{ type: 'done' }>({
    module: pathToFileURL(path),
    args: [],
    what: 'testing',
    memoryMegabytes: 500,
    signal: new AbortController().signal,
    onProgress: (fraction) => fractions.push(fraction),
  });
  return { end, fractions };
}

test.for([
  ['waits', ''],
  ['never ends', 'for (;;);'],
  ['cannot end', 'process.on("exit", () => { for (;;); }); process.exit();'],
])('a process that answers and then %s is ended', async ([, then]) => {
  const lines = `process.send({ type: 'progress', fraction: 0.5 }); sendAnswer({ type: 'done' }); ${then}`;
  expect(await run(lines)).toEqual({ end: { type: 'done' }, fractions: [0.5] });
});

test.for([
  ['without an answer', 'process.exit()', false],
  ['by a signal', 'process.kill(process.pid, "SIGKILL")', true],
] as const)('a process that ends %s tells how', async ([, lines, isMachineError]) => {
  expect((await run(lines)).end).toMatchObject({ type: 'died', isMachineError });
});
