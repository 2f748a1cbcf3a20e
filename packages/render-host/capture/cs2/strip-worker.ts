import { parentPort, workerData } from 'node:worker_threads';
import { stripCommands } from '../../source2/strip-commands.ts';

/** The thread of `stripDemo`. An error ends it and is reported to its parent. */
const { path, outPath, frameBytes } = workerData as { path: string; outPath: string; frameBytes: number };
parentPort?.postMessage(await stripCommands(path, outPath, frameBytes));
