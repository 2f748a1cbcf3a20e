import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/**
 * `npm run build:client`: client/ as a package. The library is one module that can be read, with a map that holds its
 * source; the command line is one file that takes the library from beside it, and has commander within.
 */
const CLIENT = fileURLToPath(new URL('../client/', import.meta.url));
const COMMANDER_LICENCE = fileURLToPath(new URL('../node_modules/commander/LICENSE', import.meta.url));
const TSC = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

/** The command line runs on the library as it is published. */
const besideIt: Plugin = {
  name: 'library-beside-it',
  setup(bundle) {
    bundle.onResolve({ filter: /^(\.\.\/|\.\/)index\.ts$/ }, () => ({ path: './index.js', external: true }));
  },
};

/** The declarations have the comments; in the map, which holds the source, they would be a sixth of the package. */
const withoutComments: Plugin = {
  name: 'without-comments',
  setup(bundle) {
    bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, (comment) => comment.replace(/.*/g, ''));
      return { contents: text.replace(/^ *\/\/.*$/gm, ''), loader: 'ts' };
    });
  },
};

rmSync(`${CLIENT}dist`, { recursive: true, force: true });
const common = { absWorkingDir: CLIENT, bundle: true, format: 'esm', target: 'es2022', logLevel: 'warning' } as const;
await build({
  ...common,
  entryPoints: ['index.ts'],
  outfile: 'dist/index.js',
  platform: 'neutral',
  sourcemap: true,
  plugins: [withoutComments],
});
await build({
  ...common,
  entryPoints: ['cli.ts'],
  outfile: 'dist/cli.js',
  platform: 'node',
  minify: true,
  // Of commander, which is in there whole.
  mangleProps: /^_[a-z]/,
  footer: { js: `/*\ncommander\n\n${readFileSync(COMMANDER_LICENCE, 'utf8')}*/` },
  plugins: [besideIt],
});
execFileSync(process.execPath, [TSC, '-p', fileURLToPath(new URL('../tsconfig.client.json', import.meta.url))], {
  stdio: 'inherit',
});
copyFileSync(fileURLToPath(new URL('../LICENSE', import.meta.url)), `${CLIENT}LICENSE`);
