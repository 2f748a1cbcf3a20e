import { spawnSync } from 'node:child_process';

/**
 * Built at once by one compiler. They refer to no declarations of each other: a file of the service that is read by a
 * program of Node is checked with Node's types as well (docs/decisions/070-one-compiler-run.md).
 */
const TYPES = [
  ...['core/domain', 'src', 'tools', 'test', 'test/tsconfig.workers.json', 'test/model'],
  ...['web', 'client', 'demo-format', 'scene', 'relay', 'render-host', 'stack', 'tracks'].map(
    (one) => `packages/${one}`,
  ),
];
/** What `npm run check` does, in order; `npm run check NAME` does one of them. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  lint: ['biome ci .'],
  types: [`tsc -b ${TYPES.join(' ')}`],
  unused: ['knip -c tools/knip.json --preprocessor ./tools/checks/knip-words.ts'],
  imports: [
    'vitest run --project pure --project host test/architecture.test.ts test/packages/render-host/imports.test.ts',
  ],
  openapi: ['node tools/openapi/cli.ts --check', 'redocly lint --config tools/openapi/redocly.yaml'],
  'page-scripts': ['node tools/browser/cli.ts --check'],
  bundle: ['node tools/checks/check-bundle.ts'],
};

const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
const names = process.argv.slice(2);
const unknown = names.find((name) => !Object.hasOwn(STEPS, name));
if (unknown !== undefined) throw new Error(`${unknown} is none of: ${Object.keys(STEPS).join(', ')}`);
for (const name of names.length > 0 ? names : Object.keys(STEPS)) {
  for (const command of STEPS[name] ?? []) {
    process.stdout.write(`\n> ${name}: ${command}\n`);
    const { status } = spawnSync('npx', command.split(' '), { env, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
}
