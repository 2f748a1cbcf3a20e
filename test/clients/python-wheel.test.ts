import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from '#render-host/machine/program.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { serveShortDemo } from '../support/short-demo.ts';
import { startTestStack, type TestStack } from '../support/test-stack.ts';

/** Builds the wheel, installs it in an empty folder and runs it, as packages/python/README.md says. */
const SOURCE = join(PROJECT_ROOT, 'packages/python');
const [, build = '', first = '', receive = ''] = readFileSync(join(SOURCE, 'README.md'), 'utf8').split(/```\w+\n/);
const codeOf = (block: string) => block.replace(/```[\s\S]*/, '');

/** Debian's programs before others: they have `build`. */
const env = { ...bareEnvironment(), PATH: `/usr/bin:${process.env.PATH}` };
const run = promisify(execFile);
const hasBuild = await run('python3', ['-m', 'build', '--version'], { env }).then(
  () => true,
  () => Boolean(process.env.CI),
);

describe.skipIf(!hasBuild)('the wheel', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tickreel-wheel-'));
  let stack: TestStack;
  let demo: Awaited<ReturnType<typeof serveShortDemo>>;
  let python: (code: string, variables?: Readonly<Record<string, string>>) => Promise<string>;

  beforeAll(async () => {
    [stack, demo] = await Promise.all([startTestStack({ hosts: 1, timeScale: 0.001 }), serveShortDemo(folder)]);
    cpSync(SOURCE, join(folder, 'packages/python'), { recursive: true });
    await run('sh', ['-e', '-c', codeOf(build)], { cwd: folder, env });
    const { baseUrl: TICKREEL_URL, credentials } = stack;
    const account = { TICKREEL_URL, TICKREEL_API_KEY: credentials.metered_key };
    python = async (code, variables = account) => {
      const options = { cwd: folder, env: { ...env, ...variables } };
      return (await run('venv/bin/python', ['-I', '-c', code], options)).stdout;
    };
  }, 180_000);
  afterAll(async () => {
    await stack?.remove();
    await demo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('renders and saves the first clip of the README', async () => {
    const { demo_url, steam64_id } = demo.request;
    const code = codeOf(first)
      .replace(/api_key="[^"]*", base_url="[^"]*"/, '')
      .replace(/demo_url="[^"]*"/, `demo_url="${demo_url}", fps=5`)
      .replace(/steam64_id="\d+"/, `steam64_id="${steam64_id}"`)
      .replace('round=7', 'round=1');
    const printed = await python(code);
    expect(printed).toMatch(/^done 1$/m);
    expect(printed).toMatch(/^2 kills by .+ http:\/\/127\.0\.0\.1:\d+\/clips\/[0-9a-f-]{36}$/m);
    expect(statSync(join(folder, 'clip.mp4')).size).toBeGreaterThan(10_000);
  });

  it.each([
    ['ok', /^done 1$/m],
    ['no_kills_found', /^no_kills_found .+/m],
  ])('runs the README with a test key and the demo of %s', async (name, expected) => {
    const code = codeOf(first)
      .replace(/api_key="[^"]*", base_url="[^"]*"/, '')
      .replace(/demo_url="[^"]*"/, `demo_url="https://demo.test/${name}.dem"`);
    const { baseUrl: TICKREEL_URL, credentials } = stack;
    expect(await python(code, { TICKREEL_URL, TICKREEL_API_KEY: credentials.test_key ?? '' })).toMatch(expected);
  });

  it('does not show its key to a reporter of errors, which prints local variables', async () => {
    const code = 'from tickreel import Tickreel\nprint(Tickreel(api_key="tr_met_1")._transport)';
    expect(await python(code)).not.toContain('tr_met_1');
  });

  it('refuses the webhook of the README, which nobody signed', async () => {
    const code = `request_body, request_headers = b"{}", {}\n${codeOf(receive).replace('whsec_…', `whsec_${'A'.repeat(32)}`)}`;
    await expect(python(code)).rejects.toThrow('tickreel._errors.WebhookInvalidError');
  });

  it('has no types that are wrong at run time, and no field of a request that is an option of `render`', async () => {
    const code = `
import inspect, typing
from tickreel import Tickreel, types, _calls, _clips
named = [one for one in vars(types).values() if isinstance(one, type)]
calls = [one for one in vars(_calls.Calls).values() if callable(one)]
for one in named + calls:
    typing.get_type_hints(one)
options = inspect.signature(_clips.Clips.render).parameters
assert not set(options) & set(types.SubmitRequest.__annotations__), options
print(len(named) > 50, len(calls) > 40)`;
    expect(await python(code)).toBe('True True\n');
  });

  it('raises errors that a pool of processes can return', async () => {
    const code = `
import pickle, tickreel
try:
    tickreel.Tickreel().jobs.get("none")
except tickreel.NotFoundError as error:
    copy = pickle.loads(pickle.dumps(error))
    print(type(copy) is type(error), str(copy) == str(error), vars(copy) == vars(error), copy.status)`;
    expect(await python(code)).toBe('True True True 404\n');
  });

  it('submits one job for one key, from many threads that share a client', async () => {
    const code = `
import sys
from concurrent.futures import ThreadPoolExecutor
from tickreel import Tickreel
tickreel = Tickreel()
def submit(_):
    return tickreel.clips.submit(demo_url="${demo.request.demo_url}", steam64_id="76561198000000009", idempotency_key="one")
with ThreadPoolExecutor(16) as pool:
    submitted = list(pool.map(submit, range(64)))
print(len({one["job_id"] for one in submitted}), sum(not one["replayed"] for one in submitted))`;
    expect(await python(code)).toBe('1 1\n');
  });
});
