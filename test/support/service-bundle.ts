import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';

/** Folders whose modules are in the bundle. */
export const SERVICE_ROOMS = ['core', 'durable-objects', 'render-gateway', 'src'];

/** The pool passes it to the runtime unchanged. */
export const SERVICE_BUNDLE = 'tickreel-service.mjs';

/**
 * Serves every module of the service from one bundle. Each test file has its own runtime, which would load 350 modules
 * and ask Node about 1,300 imports: half the time of most files.
 */
export function serviceBundle(): Plugin {
  let isWatching = false;
  let modules: Promise<Map<string, { code: string; map: { mappings: '' } }>> | undefined;
  return {
    name: 'service-bundle',
    enforce: 'pre',
    configureVitest({ vitest }) {
      // In watch mode modules change.
      isWatching = vitest.config.watch;
    },
    async load(id) {
      if (isWatching) return;
      modules ??= bundle();
      return (await modules).get(id);
    },
  };
}

/** Writes the bundle. Returns a replacement for each module by its path, which re-exports from the bundle. */
async function bundle() {
  const folder = mkdtempSync(join(tmpdir(), 'tickreel-tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, SERVICE_BUNDLE);
  const { metafile } = await build({
    entryPoints: globSync(SERVICE_ROOMS.map((room) => `${room}/**/*.ts`)),
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
    // The same as in a deployment.
    keepNames: true,
    // With the map beside the bundle, reports show the lines of the source.
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
