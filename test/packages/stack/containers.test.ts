import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#stack/migrate.ts';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, 'tools/deploy', path), 'utf8');
const FILES = ['one-machine/Containerfile', 'render-host/Containerfile', 'gpu-host/Containerfile'];

describe.each(FILES)('%s', (file) => {
  const copied = [...read(file).matchAll(/^COPY (?:--\S+ )?(.*) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));

  it('copies files that exist, and that are in the context of the build', () => {
    const context = [...read(`${file}.dockerignore`).matchAll(/^!(.*)$/gm)].map(([, path = '']) => path);
    for (const path of copied) {
      expect(existsSync(join(PROJECT_ROOT, path)), path).toBe(true);
      expect(
        context.some((part) => path === part || path.startsWith(`${part}/`)),
        path,
      ).toBe(true);
    }
  });

  it('copies the package.json of each workspace before it installs', () => {
    const workspaces = globSync(['core/package.json', 'packages/*/package.json'], { cwd: PROJECT_ROOT });
    expect(copied).toEqual(expect.arrayContaining(workspaces));
  });
});

it('the image of the service has each folder that the Worker is made of, and its options exist', () => {
  const copied = read('one-machine/Containerfile');
  const { imports } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8'));
  const parts = new Set(Object.values<string>(imports).map((path) => path.split('/')[1] ?? ''));
  for (const part of parts) if (!['test', 'tools'].includes(part)) expect(copied).toContain(`\nCOPY ${part} `);
  const help = execFileSync(process.execPath, ['packages/stack/stack-cli.ts', '--help'], { cwd: PROJECT_ROOT });
  const used = `${copied}${read('one-machine/compose.yaml')}`.matchAll(/^(?:ENTRYPOINT.*| +- --.*)$/gm);
  const options = [...used].flatMap(([line]) => line.match(/--[a-z][a-z-]+/g) ?? []);
  expect(options).toContain('--public-url');
  for (const option of options) expect(String(help)).toContain(option);
});

it('compose keeps data and backups in volumes, the data inside of one, because a restore renames its folder', () => {
  const image = read('one-machine/Containerfile');
  const compose = read('one-machine/compose.yaml');
  const data = /"--data", "([^"]+)"/.exec(image)?.[1] ?? '';
  const backups = /- --backups=(\S+)/.exec(compose)?.[1];
  expect(compose).toContain(`- data:${dirname(data)}\n`);
  expect(compose).toContain(`- backups:${backups}\n`);
  for (const folders of [/^VOLUME (.*)$/m, /^RUN install -d -m 700 -o node -g node (.*)$/m])
    expect(folders.exec(image)?.[1]?.split(' ')).toEqual([dirname(data), backups]);
  // The same places as of the unit, so that the commands of docs/one-machine.md are the same.
  expect(read('one-machine/tickreel.service')).toContain(`--data ${data} `);
  expect(read('one-machine/tickreel.service')).toContain(`--backups ${backups}\n`);
});

it('compose waits until a host has drained', () => {
  const [, host = ''] = read('one-machine/compose.yaml').split('\n  render-host:');
  const numberOf = (pattern: RegExp) => Number(pattern.exec(host)?.[1]);
  expect(numberOf(/stop_grace_period: (\d+)s/)).toBeGreaterThanOrEqual(numberOf(/TICKREEL_DRAIN_S: (\d+)/) + 30);
});
