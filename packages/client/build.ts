import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/**
 * `npm run build:client`: writes packages/client/dist, the package to publish. The library is one readable module, also
 * as CommonJS. The command line is one file: it imports the library beside it and contains commander.
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

rmSync(DIST, { recursive: true, force: true });
const common = { absWorkingDir: CLIENT, bundle: true, target: 'es2022', logLevel: 'warning', outdir: 'dist' } as const;
const library: BuildOptions = { ...common, platform: 'neutral', external: ['#save-body', 'node:*'] };
await build({ ...library, entryPoints: ['index.ts', 'save-body.ts', 'no-files.ts'], format: 'esm' });
await build({ ...library, entryPoints: ['index.ts'], format: 'cjs', outExtension: { '.js': '.cjs' } });
await build({
  ...common,
  entryPoints: ['cli.ts'],
  format: 'esm',
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
const types = './types/packages/client/index.d.ts';
/** The declarations are of an ES module. `require` gets its values, and refers to its types. */
const module = `'./types/packages/client/index.js'`;
const values = Object.entries(await import(`${DIST}index.js`)).map(([name, value]) => {
  const isClass = /^class\b/.test(String(value));
  return `export const ${name}: Library['${name}'];${isClass ? `\nexport type ${name} = InstanceType<Library['${name}']>;` : ''}`;
});
const required = [
  `type Library = typeof import(${module}, { with: { 'resolution-mode': 'import' } });`,
  `export type * from ${module} with { 'resolution-mode': 'import' };`,
];
writeFileSync(`${DIST}index.d.cts`, `${[...required, ...values].join('\n')}\n`);
const {
  private: _,
  imports,
  scripts,
  devDependencies,
  ...published
} = JSON.parse(readFileSync(`${CLIENT}package.json`, 'utf8'));
const dist = {
  ...published,
  main: './index.cjs',
  types,
  exports: {
    '.': {
      import: { types, default: './index.js' },
      require: { types: './index.d.cts', default: './index.cjs' },
    },
    './package.json': './package.json',
  },
  imports: { '#save-body': { browser: './no-files.js', default: './save-body.js' } },
  bin: { tickreel: 'cli.js' },
};
writeFileSync(`${DIST}package.json`, `${JSON.stringify(dist, null, 2)}\n`);
copyFileSync(fileURLToPath(new URL('../../LICENSE', import.meta.url)), `${DIST}LICENSE`);
copyFileSync(`${CLIENT}README.md`, `${DIST}README.md`);
