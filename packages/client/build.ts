import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/**
 * `npm run build -w tickreel`: writes packages/client/dist, the package to publish. The library is one module, which Node
 * can also `require`. The command line is one file: it imports the library beside it and contains commander.
 */
const CLIENT = fileURLToPath(new URL('.', import.meta.url));
const LICENCE = fileURLToPath(new URL('../../LICENSE', import.meta.url));
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
// Names stay, for stack traces; the comments are in the declarations.
await build({
  ...common,
  entryPoints: ['index.ts', 'save-body.ts', 'no-files.ts'],
  external: ['#save-body', 'node:*'],
  format: 'esm',
  platform: 'neutral',
  minifyWhitespace: true,
});
await build({
  ...common,
  entryPoints: ['cli/cli.ts'],
  format: 'esm',
  platform: 'node',
  minify: true,
  // Shortens the internal names of commander, which is bundled.
  mangleProps: /^_[a-z]/,
  footer: { js: '/* Contains commander: LICENSE. */' },
  plugins: [besideIt],
});
execFileSync(process.execPath, [TSC, '-p', `${CLIENT}tsconfig.build.json`], { stdio: 'inherit' });
/** Functions and constants that `index.ts` does not export, with their comments. A value continues in further lines. */
const INTERNAL =
  /^(?:\/\*\*(?:(?!\*\/).)*\*\/\n)?export declare (?:function|const) (?!create(?:Tickreel|Webhooks)\b).*?;\n(?![ }])/gms;
/**
 * Writes a file of declarations as it is published, and returns the paths of those that it imports. There, every import
 * is relative and names the compiled file.
 */
function publish(file: string): string[] {
  const core = relative(dirname(file), `${TYPES}core`);
  const text = readFileSync(file, 'utf8')
    .replace(/'#(domain|protocol)\//g, `'${core}/$1/`)
    .replace(/'(\.[^']*)\.ts'/g, "'$1.js'")
    .replace(INTERNAL, '');
  writeFileSync(file, text);
  return [...text.matchAll(/from '(\..*)\.js'/g)].map(([, path = '']) => join(dirname(file), `${path}.d.ts`));
}
/** The declarations that `index.d.ts` reaches. */
const published = new Set([`${TYPES}packages/client/index.d.ts`]);
// A set also yields what is added meanwhile.
for (const file of published) for (const imported of publish(file)) published.add(imported);
for (const file of globSync(`${TYPES}**/*.d.ts`)) if (!published.has(file)) rmSync(file);
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
  ...manifest
} = JSON.parse(readFileSync(`${CLIENT}package.json`, 'utf8'));
const dist = {
  ...manifest,
  main: './index.js',
  types,
  exports: {
    '.': {
      import: { types, default: './index.js' },
      require: { types: './index.d.cts', default: './index.js' },
    },
    './package.json': './package.json',
  },
  imports: { '#save-body': { browser: './no-files.js', default: './save-body.js' } },
  bin: { tickreel: 'cli.js' },
};
writeFileSync(`${DIST}package.json`, `${JSON.stringify(dist, null, 2)}\n`);
const licences = [LICENCE, COMMANDER_LICENCE].map((file) => readFileSync(file, 'utf8'));
writeFileSync(`${DIST}LICENSE`, licences.join('\ncli.js contains commander:\n\n'));
copyFileSync(`${CLIENT}README.md`, `${DIST}README.md`);
