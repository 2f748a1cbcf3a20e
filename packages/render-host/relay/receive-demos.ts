import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { reasonOf } from '#domain/reason.ts';
import { factsOf } from '#protocol/game-server-facts.ts';
import { isDemoName, type RelayOptions } from './run-relay.ts';

const UNFINISHED = '.tickreel-relay-';

/** Creates a server for the uploads of MatchZy and get5. A demo that was answered with 200 is on the disk. */
export function createReceiver({ dir, state, log }: Pick<RelayOptions, 'dir' | 'state' | 'log'>): Server {
  const folder = openSync(dir, 'r');
  const server = createServer(async (request, response) => {
    const answer = (status: number, text: string) => response.writeHead(status, { Connection: 'close' }).end(text);
    // A page in a browser of this machine sends its origin.
    if (request.method !== 'POST' || request.headers.origin) return answer(405, 'Only game servers POST demos here.');
    const facts = factsOf(new Headers(request.headers as Record<string, string>)) ?? {};
    const wanted = (facts.file_name ?? '').replace(/[^\w.-]/g, '_');
    if (!isDemoName(wanted)) return answer(400, 'MatchZy-FileName or Get5-FileName has to be the name of a demo.');
    const unfinished = join(dir, UNFINISHED + randomUUID());
    const hash = createHash('sha256');
    request.on('data', (chunk) => hash.update(chunk));
    try {
      await pipeline(request, createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true }));
      const sha256 = hash.digest('hex');
      // With the hash it replaces none of the server's files.
      const demo = `${sha256.slice(0, 12)}-${wanted}`;
      const { size, mtimeMs } = statSync(unfinished);
      // No look at the folder comes between these two steps.
      state.put(demo, { size, mtimeMs, sha256, facts });
      renameSync(unfinished, join(dir, demo));
      fsyncSync(folder);
      log.info({ demo }, 'received');
      answer(200, demo);
    } catch (error) {
      rmSync(unfinished, { force: true });
      log.error({ demo: wanted, reason: reasonOf(error) }, 'not received');
      answer(500, reasonOf(error));
    }
  });
  return server.once('listening', () => {
    // What a relay was receiving when it was killed.
    for (const name of readdirSync(dir)) if (name.startsWith(UNFINISHED)) rmSync(join(dir, name));
  });
}
