import { parentPort, workerData } from 'node:worker_threads';
import { type StripOptions, stripMessages } from '../../source2/strip-messages.ts';

/** The thread of `stripDemo`. An error ends it and is reported to its parent. */
const { path, outPath, options } = workerData as { path: string; outPath: string; options: StripOptions };
parentPort?.postMessage(await stripMessages(path, outPath, options));
