import { parentPort, workerData } from 'node:worker_threads';
import { stripCommands } from '../../source2/strip-commands.ts';

/** The thread of `stripDemo`. What is thrown here ends it, and reaches its parent as an error. */
const { path, outPath, frameBytes } = workerData as { path: string; outPath: string; frameBytes: number };
parentPort?.postMessage(await stripCommands(path, outPath, frameBytes));
