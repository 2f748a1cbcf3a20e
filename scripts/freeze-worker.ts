import { writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { bundleWorker } from '../local/bundle-worker.ts';

/**
 * Keeps the Worker as it is deployed now, for the tests that run it beside the next one
 * (test/local/versions.test.ts). Run it at the commit that was deployed, before the next change of what Worker and
 * objects say to each other.
 */
writeFileSync('test/local/versions/worker.mjs.br', brotliCompressSync(await bundleWorker()));
