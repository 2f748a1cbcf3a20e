import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '#stack/project-root.ts';
import { startStack } from '#stack/stack.ts';
import { serveShortDemo } from '../../support/short-demo.ts';

const MODULE = join(PROJECT_ROOT, 'packages/go');
const hasGo = spawnSync('go', ['version']).status === 0;
/** Without a module proxy: the client uses the standard library alone. */
const OFFLINE = { GOPROXY: 'off', GOFLAGS: '-mod=mod' };

async function run(
  program: string,
  args: readonly string[],
  more: Record<string, string> = {},
  cwd = MODULE,
): Promise<string> {
  const { TICKREEL_URL: _, ...environment } = process.env;
  const env = { ...environment, ...OFFLINE, ...more };
  const { stdout } = await promisify(execFile)(program, args, { cwd, env }).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  return stdout;
}

/** Makes the program of the README in an empty folder, with the commands of the README. */
async function readmeProgram(): Promise<{ folder: string; runIt: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tickreel-go-readme-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const readme = await readFile(join(MODULE, 'README.md'), 'utf8');
  const [make = '', runIt = ''] = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands);
  await run('sh', ['-ec', make.replace('/path/to/tickreel/packages/go', MODULE)], {}, folder);
  await writeFile(join(folder, 'main.go'), /```go\n(.*?)```/s.exec(readme)?.[1] ?? '');
  return { folder, runIt };
}

describe.skipIf(!hasGo && !process.env.CI)('the client in Go', () => {
  it('is formatted, vetted, and passes its own tests', async () => {
    expect(await run('gofmt', ['-l', '.'])).toBe('');
    await run('go', ['vet', './...']);
    expect(await run('go', ['test', './...'])).toMatch(/^ok /);
  });

  it('has examples that run against a service', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tickreel-go-'));
    const demo = await serveShortDemo(dataDir);
    const stack = await startStack({ port: 0, dataDir, hosts: 1, timeScale: 0.001, logLevel: 'silent' });
    onTestFinished(async () => {
      await stack.stop();
      await demo.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
    const service = { TICKREEL_URL: stack.baseUrl, TICKREEL_API_KEY: stack.credentials.metered_key };
    const missing = `${demo.request.demo_url}-is-missing`;
    const examples = await run('go', ['test', '-count=1', '-v', '-run', '^Example', '.'], {
      ...service,
      TICKREEL_DEMO: demo.request.demo_url,
      TICKREEL_PLAYER: demo.request.steam64_id,
      TICKREEL_NO_DEMO: missing,
    });
    expect(examples.match(/^--- \w+: /gm)).toEqual(Array(7).fill('--- PASS: '));
    const testing = { ...service, TICKREEL_API_KEY: stack.credentials.test_key ?? '' };
    const tested = await run('go', ['test', '-count=1', '-v', '-run', '^Example', '.'], testing);
    expect(tested.match(/^--- \w+: /gm)).toEqual(Array(7).fill('--- PASS: '));

    const { folder, runIt } = await readmeProgram();
    const command = runIt.replace('https://demos.example.com/match.dem.gz', missing);
    await expect(run('sh', ['-c', command], service, folder)).rejects.toThrow(/demo_404: .+/);
    const ok = runIt.replace('https://demos.example.com/match.dem.gz', 'https://demo.test/ok.dem');
    expect(await run('sh', ['-c', ok], testing, folder)).toContain(`${stack.baseUrl}/clips/`);
  });
});
