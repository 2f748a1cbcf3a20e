import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transformSync } from 'esbuild';

/**
 * `npm run build -w @tickreel/render-host`: writes packages/render-host/dist, the package to publish. Node runs no
 * TypeScript below node_modules, so each module is written as JavaScript, in its own folder, with those of the other
 * workspaces that it needs. One bundle would not do: threads and child processes are modules of their own.
 */
const HOST = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIST = `${HOST}dist/`;
/** Where the modules of other workspaces are in the package. */
const FOLDERS = { 'packages/render-host/': '', 'packages/': '', 'core/': 'core/' };
const WORKSPACES = /^@tickreel\//;

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { private: _, exports, scripts, devDependencies, dependencies, ...published } = read(`${HOST}package.json`);
const libraries = Object.entries({
  ...read(`${ROOT}packages/demo-format/package.json`).dependencies,
  ...dependencies,
}).filter(([name]) => !WORKSPACES.test(name));

const programs = ['main.ts', ...globSync('**/*-{worker,child}.ts', { cwd: HOST, exclude: ['dist'] })];
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: programs.map((file) => `${HOST}${file}`),
  outdir: DIST,
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  format: 'esm',
  external: libraries.map(([name]) => name),
});
rmSync(DIST, { recursive: true, force: true });
for (const path of Object.keys(metafile.inputs)) {
  const [folder = '', target = ''] = Object.entries(FOLDERS).find(([begin]) => path.startsWith(begin)) ?? [];
  const out = `${DIST}${target}${path.slice(folder.length).replace(/\.ts$/, '.js')}`;
  mkdirSync(dirname(out), { recursive: true });
  if (!path.endsWith('.ts')) {
    copyFileSync(`${ROOT}${path}`, out);
    continue;
  }
  // Imports, and addresses of threads and child processes.
  const source = readFileSync(`${ROOT}${path}`, 'utf8').replace(/'((?:\.|#)[^'\n]*)\.ts'/g, "'$1.js'");
  const { code } = transformSync(source, { loader: 'ts', format: 'esm', target: 'node22', sourcefile: path });
  writeFileSync(out, path.endsWith('/main.ts') ? `#!/usr/bin/env node\n${code}` : code);
}
copyFileSync(`${HOST}sample.dem.zst`, `${DIST}sample.dem.zst`);
mkdirSync(`${DIST}scene/fonts`, { recursive: true });
for (const file of globSync('scene/fonts/*.{ttf,txt}', { cwd: `${ROOT}packages` }))
  copyFileSync(`${ROOT}packages/${file}`, `${DIST}${file}`);
const dist = {
  ...published,
  imports: {
    '#domain/*': './core/domain/*',
    '#protocol/*': './core/protocol/*',
    '#demo-format/*': './demo-format/*',
    '#scene/*': './scene/*',
    '#tracks/*': './tracks/*',
  },
  bin: { 'tickreel-host': 'main.js' },
  dependencies: Object.fromEntries(libraries),
};
writeFileSync(`${DIST}package.json`, `${JSON.stringify(dist, null, 2)}\n`);
copyFileSync(`${ROOT}LICENSE`, `${DIST}LICENSE`);
