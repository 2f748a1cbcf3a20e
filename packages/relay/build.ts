import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * `npm run build -w tickreel-relay`: writes packages/relay/dist, the package to publish. It is one module, with what the
 * relay needs of other workspaces.
 */
const RELAY = fileURLToPath(new URL('.', import.meta.url));
const DIST = `${RELAY}dist/`;

const text = readFileSync(`${RELAY}package.json`, 'utf8');
const { private: _, exports, imports, scripts, devDependencies, ...manifest } = JSON.parse(text);
rmSync(DIST, { recursive: true, force: true });
await build({
  entryPoints: [`${RELAY}main.ts`],
  outdir: DIST,
  bundle: true,
  platform: 'node',
  format: 'esm',
  external: Object.keys(manifest.dependencies),
  banner: { js: '#!/usr/bin/env node' },
});
const dist = { ...manifest, bin: { 'tickreel-relay': 'main.js' } };
writeFileSync(`${DIST}package.json`, `${JSON.stringify(dist, null, 2)}\n`);
copyFileSync(`${RELAY}../../LICENSE`, `${DIST}LICENSE`);
