import { join } from 'node:path';
import { unpackSample } from '#render-host/sample-demo.ts';
import { serveFile } from './listen.ts';

export interface SampleDemo {
  readonly path: string;
  /** The player and the round with the most kills. */
  readonly player: string;
  readonly round: number;
}

/** The best clip of the sample demo. The README and the documents name it. */
const BEST = { player: '76561199990417263', round: 2 };
/** Added to the stack's port for that of the sample demo. Stacks on neighbouring ports have no conflict. */
const PORT_DISTANCE = 10_000;

/** Writes the sample demo into a folder. */
export async function writeSample(folder: string): Promise<SampleDemo> {
  const path = join(folder, 'sample.dem');
  await unpackSample(path);
  return { path, ...BEST };
}

/** Writes the sample demo of a stack into a folder, and serves it on loopback. */
export async function serveSample(folder: string, stackPort: number): ReturnType<typeof serveFile> {
  const { path } = await writeSample(folder);
  return serveFile(path, stackPort === 0 || stackPort + PORT_DISTANCE > 65_535 ? 0 : stackPort + PORT_DISTANCE);
}
