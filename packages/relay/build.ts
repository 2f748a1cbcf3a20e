import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * `npm run build -w tickreel-relay`: writes packages/relay/dist, the package to publish. It is one module with what the
 * relay needs of the other workspaces.
 */
const RELAY = fileURLToPath(new URL('.', import.meta.url));
const DIST = `${RELAY}dist/`;
const WORKSPACES = /^@tickreel\/|^tickreel$/;

const manifest = JSON.parse(readFileSync(`${RELAY}package.json`, 'utf8'));
const { private: _, exports, imports, scripts, devDependencies, dependencies, ...published } = manifest;
const libraries = Object.entries(dependencies).filter(([name]) => !WORKSPACES.test(name));
rmSync(DIST, { recursive: true, force: true });
await build({
  entryPoints: [`${RELAY}main.ts`],
  outdir: DIST,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  external: libraries.map(([name]) => name),
  banner: { js: '#!/usr/bin/env node' },
  logLevel: 'warning',
});
const dist = { ...published, bin: { 'tickreel-relay': 'main.js' }, dependencies: Object.fromEntries(libraries) };
writeFileSync(`${DIST}package.json`, `${JSON.stringify(dist, null, 2)}\n`);
copyFileSync(fileURLToPath(new URL('../../LICENSE', import.meta.url)), `${DIST}LICENSE`);
