import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { BREAKAGES } from '../../gateway/breakages.ts';
import { tryHost } from '../../gateway/host-conformance.ts';
import { GENERAL_RULES, PUSH_RULES, RULES } from '../../gateway/rules.ts';
import { type Candidate, sampleOrder } from '../../gateway/stage.ts';

const OWN_HOST = join(PROJECT_ROOT, 'packages/render-host/main.ts');
const EXAMPLE = join(PROJECT_ROOT, 'docs/examples/host/host.mjs');
const ffmpeg: string = createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg').path;

let folder: string;
let given: Pick<Candidate, 'demoPath' | 'order'>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-conformance-'));
  given = await sampleOrder(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A render takes a minute on a busy machine. */
const PATIENCE_MS = 180_000;
/** The time for a host that breaks a rule, maybe by doing nothing. */
const SHORT_MS = 8000;
const isGeneral = (rule: string) => Object.values(GENERAL_RULES).includes(rule);

async function brokenBy(
  program: string,
  only = '',
  patienceMs = PATIENCE_MS,
  isPush = false,
): Promise<Record<string, readonly string[]>> {
  const command = [process.execPath, program];
  const environment = { FFMPEG_PATH: ffmpeg, LOG_LEVEL: 'silent' };
  const verdicts = await tryHost({ command, environment, ...given, patienceMs, holdS: 2, isPush }, { only });
  return Object.fromEntries(verdicts.filter(({ faults }) => faults.length > 0).map((one) => [one.says, one.faults]));
}

/** A sample; `npx node test/soak/cli.ts conformance` tries all, because each starts a host and some wait for a timeout. */
const isWhole = process.env.CONFORMANCE === 'all';
/** Our own host renders, which is slow; test/packages/render-host/agent tests the other rules. */
const OWN = ['during an upload'];
const TRIED = BREAKAGES.filter((_, i) => isWhole || i % 12 === 0);

describe('the rules of the protocol', () => {
  it.each([
    ['our own host', OWN_HOST, isWhole ? [''] : OWN],
    ['the example host', EXAMPLE, ['']],
  ])('are kept by %s', { timeout: 400_000 }, async (_, program, rules) => {
    for (const only of rules) expect(await brokenBy(program, only)).toEqual({});
  });

  it('for push hosts are kept by our own host', { timeout: 400_000 }, async () => {
    const rules = isWhole ? '' : 'not signed';
    expect(await brokenBy(OWN_HOST, rules, PATIENCE_MS, true)).toEqual({});
  });

  it('for push hosts are each broken by a host that takes every grant and does nothing', async () => {
    const program = join(folder, 'takes-all.mjs');
    const code = `import { createServer } from 'node:http';
      createServer((_, response) => response.writeHead(202).end()).listen(Number(process.env.TICKREEL_SERVE), '127.0.0.1');`;
    await writeFile(program, code);
    const broken = Object.keys(await brokenBy(program, '', SHORT_MS, true));
    expect(broken.toSorted()).toEqual(PUSH_RULES.map(({ says }) => says).toSorted());
  });
});

describe('a host that', () => {
  it.concurrent.each(TRIED)('$does is detected', { timeout: 120_000 }, async ({ does, from, to, only, breaks }) => {
    const example = await readFile(EXAMPLE, 'utf8');
    expect(example.split(from)).toHaveLength(2);
    const program = join(folder, `${does.replaceAll(/\W+/g, '-')}.mjs`);
    await writeFile(
      program,
      example.replace(from, () => to),
    );
    const broken = Object.keys(await brokenBy(program, only, breaks.some(isGeneral) ? PATIENCE_MS : SHORT_MS));
    expect(broken).toEqual(expect.arrayContaining([...breaks]));
  });

  it('has a broken host for each rule', () => {
    const all = [...RULES.map(({ says }) => says), ...Object.values(GENERAL_RULES)];
    expect(new Set(BREAKAGES.flatMap(({ breaks }) => breaks))).toEqual(new Set(all));
  });
});
