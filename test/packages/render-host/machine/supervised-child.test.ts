import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { superviseChild } from '#render-host/machine/supervised-child.ts';

const MODULE = new URL('../../../../packages/render-host/machine/supervised-child.ts', import.meta.url);

/** Writes a program that `superviseChild` can run. */
async function program(lines: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'child-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'child.mjs');
  await writeFile(path, `import { endWithParent, sendAnswer } from '${MODULE}';\nendWithParent();\n${lines}`);
  return path;
}

/** Runs a process with these lines, and returns its end and the fractions that it reported. */
async function run(lines: string) {
  const fractions: number[] = [];
  const end = await superviseChild<{ type: 'done' }>({
    module: pathToFileURL(await program(lines)),
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
  const lines = `process.send({ fraction: 0.5 }); sendAnswer({ type: 'done' }); ${then}`;
  expect(await run(lines)).toEqual({ end: { type: 'done' }, fractions: [0.5] });
});

test.for([
  ['without an answer', 'process.exit()', false],
  ['by a signal', 'process.kill(process.pid, "SIGKILL")', true],
] as const)(
  'the fault of a process that ends %s says whether the machine caused it',
  async ([, lines, isMachineError]) => {
    expect((await run(lines)).end).toMatchObject({ type: 'died', isMachineError });
  },
);

test.runIf(process.platform === 'linux')('a process whose parent is killed ends', async () => {
  const child = await program('process.send({ fraction: process.pid }); setInterval(() => {}, 1000);');
  const lines = `import { superviseChild } from '${MODULE}';
    const module = new URL('${pathToFileURL(child)}');
    const { signal } = new AbortController();
    superviseChild({ module, args: [], what: '', memoryMegabytes: 500, signal, onProgress: console.log });`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', lines]);
  const [pid] = await once(parent.stdout, 'data');
  expect(existsSync(`/proc/${Number(pid)}`)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => existsSync(`/proc/${Number(pid)}`), { timeout: 30_000 }).toBe(false);
});
