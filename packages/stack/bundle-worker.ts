import { build } from 'esbuild';
import { PROJECT_ROOT } from './project-root.ts';

let bundled: Promise<string> | undefined;

/** Returns the Worker as one ES module. Built from its source once in each process, so no build is stale. */
export function bundleWorker(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
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
  const [module] = outputFiles;
  if (!module) throw new Error('esbuild wrote no output');
  return module.text;
}
