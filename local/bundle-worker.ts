import { build } from 'esbuild';
import { PROJECT_ROOT } from './project-root.ts';

/** The Worker as one ES module, made from its source at every start: there is no stale build. */
export async function bundleWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${PROJECT_ROOT}src/worker.ts`],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    write: false,
    logLevel: 'warning',
  });
  const [bundle] = outputFiles;
  if (!bundle) throw new Error('esbuild wrote no output');
  return bundle.text;
}
