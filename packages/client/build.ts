import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build, type Plugin } from 'esbuild';

/**
 * `npm run build:client`: writes packages/client/dist, the package to publish. The library is one readable module, with
 * a map that holds its source. The command line is one file: it imports the library beside it and contains commander.
 */
const CLIENT = fileURLToPath(new URL('.', import.meta.url));
const COMMANDER_LICENCE = fileURLToPath(new URL('../../node_modules/commander/LICENSE', import.meta.url));
const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

const DIST = `${CLIENT}dist/`;
const TYPES = `${DIST}types/`;

/** The command line runs on the library as it is published. */
const besideIt: Plugin = {
  name: 'library-beside-it',
  setup(bundle) {
    bundle.onResolve({ filter: /^(\.\.\/|\.\/)index\.ts$/ }, () => ({ path: './index.js', external: true }));
  },
};

/** Comments that the declarations have too: in the source map they would be a fifth of the package. */
const DECLARED = [
  /\/\*\*[\s\S]*?\*\//g,
  /^ *\/\/.*$/gm,
  /^(export )?interface [\s\S]*?^}$/gm,
  /^import type [^;]*;$/gm,
];

/** Empties their lines, so that line numbers stay. */
const withoutDeclared: Plugin = {
  name: 'without-declared',
  setup(bundle) {
    bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const blank = (text: string, part: RegExp) => text.replace(part, (found) => found.replace(/.*/g, ''));
      return { contents: DECLARED.reduce(blank, readFileSync(path, 'utf8')), loader: 'ts' };
    });
  },
};

rmSync(DIST, { recursive: true, force: true });
const common = { absWorkingDir: CLIENT, bundle: true, format: 'esm', target: 'es2022', logLevel: 'warning' } as const;
await build({
  ...common,
  entryPoints: ['index.ts'],
  outfile: 'dist/index.js',
  platform: 'neutral',
  sourcemap: true,
  plugins: [withoutDeclared],
});
// The compiled library reads like its source, so mappings by line are enough, at a fifth of the size.
const map = JSON.parse(readFileSync(`${CLIENT}dist/index.js.map`, 'utf8'));
const mappings = encode(decode(map.mappings).map((line) => line.slice(0, 1)));
writeFileSync(`${CLIENT}dist/index.js.map`, JSON.stringify({ ...map, mappings }));
await build({
  ...common,
  entryPoints: ['cli.ts'],
  outfile: 'dist/cli.js',
  platform: 'node',
  minify: true,
  // Shortens the internal names of commander, which is bundled.
  mangleProps: /^_[a-z]/,
  footer: { js: `/*\ncommander\n\n${readFileSync(COMMANDER_LICENCE, 'utf8')}*/` },
  plugins: [besideIt],
});
execFileSync(process.execPath, [TSC, '-p', `${CLIENT}tsconfig.build.json`], { stdio: 'inherit' });
/** In the published package, every import is relative and names the compiled file. */
for (const file of globSync('**/*.d.ts', { cwd: TYPES })) {
  const text = readFileSync(`${TYPES}${file}`, 'utf8');
  const core = relative(dirname(file), 'core');
  writeFileSync(
    `${TYPES}${file}`,
    text.replace(/'#(domain|protocol)\//g, `'${core}/$1/`).replace(/'(\.[^']*)\.ts'/g, "'$1.js'"),
  );
}
const {
  private: _,
  exports: __,
  imports,
  scripts,
  devDependencies,
  ...published
} = JSON.parse(readFileSync(`${CLIENT}package.json`, 'utf8'));
const types = './types/packages/client/index.d.ts';
const dist = {
  ...published,
  exports: { '.': { types, default: './index.js' }, './package.json': './package.json' },
  types,
  bin: { tickreel: 'cli.js' },
};
writeFileSync(`${DIST}package.json`, `${JSON.stringify(dist, null, 2)}\n`);
copyFileSync(fileURLToPath(new URL('../../LICENSE', import.meta.url)), `${DIST}LICENSE`);
copyFileSync(`${CLIENT}README.md`, `${DIST}README.md`);
