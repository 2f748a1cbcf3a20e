import { join } from 'node:path';
import { createSampleMatch, writeDemoFile } from '#demo-writer/index.ts';
import { serveFile } from './serve-file.ts';

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

const pathIn = (folder: string): string => join(folder, 'sample.dem');

/** Writes the sample demo into a folder. */
export async function writeSample(folder: string): Promise<SampleDemo> {
  const path = pathIn(folder);
  await writeDemoFile(createSampleMatch(), path);
  return { path, ...BEST };
}

/** Serves the sample demo of a stack on loopback. The first request writes it into the folder, which takes a second. */
export function serveSample(folder: string, stackPort: number): ReturnType<typeof serveFile> {
  let written: Promise<unknown> | undefined;
  const make = () => (written ??= writeSample(folder));
  const wanted = stackPort === 0 || stackPort + PORT_DISTANCE > 65_535 ? 0 : stackPort + PORT_DISTANCE;
  return serveFile(pathIn(folder), { wanted, make });
}
