import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const ROOMS = [
  'core/domain',
  'core/protocol',
  'core/platform',
  'core/http',
  'core/storage',
  'durable-objects',
  'service',
  'render-gateway',
  'src',
];

/** The pool is to hand it to the runtime as it is. */
export const SERVICE_BUNDLE = 'tickreel-service.mjs';

/**
 * Has every module of the service come out of one bundle. Each test file has a runtime of its own, which would load 350
 * modules one by one and ask Node again at each of their 1,300 imports: half of what most files cost.
 */
export function serviceBundle(): Plugin {
  let isWatching = false;
  let modules: Promise<Map<string, { code: string; map: { mappings: '' } }>> | undefined;
  return {
    name: 'service-bundle',
    enforce: 'pre',
    configureVitest({ vitest }) {
      // Whoever watches changes modules, and means the changed ones.
      isWatching = vitest.config.watch;
    },
    async load(id) {
      if (isWatching) return;
      modules ??= bundle();
      return (await modules).get(id);
    },
  };
}

/** Writes the bundle, and gives what stands in for each module, by its path: its exports, out of the bundle. */
async function bundle() {
  const folder = mkdtempSync(join(tmpdir(), 'tickreel-tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, SERVICE_BUNDLE);
  const { metafile } = await build({
    entryPoints: globSync(
      ROOMS.map((room) => `${room}/**/*.ts`),
      { exclude: ['src/browser/**'] },
    ),
    outdir: '.',
    write: false,
    metafile: true,
    format: 'esm',
  });
  const modules = Object.values(metafile.outputs).map(({ entryPoint = '', exports }) => ({
    path: entryPoint,
    exports,
  }));
  await build({
    stdin: {
      contents: modules.map(({ path }, n) => `export * as m${n} from './${path}';`).join('\n'),
      resolveDir: '.',
    },
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*', 'node:*'],
    // As in a deployment.
    keepNames: true,
    // A report finds the map beside the bundle, and shows a failure where the source has it.
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
  });
  return new Map(
    modules.map(({ path, exports }, n) => {
      const lines = exports.map((name) => `export ${name === 'default' ? name : `const ${name} =`} module.${name};`);
      const code = [`import { m${n} as module } from ${JSON.stringify(outfile)};`, ...lines].join('\n');
      return [resolve(path), { code, map: { mappings: '' as const } }];
    }),
  );
}
