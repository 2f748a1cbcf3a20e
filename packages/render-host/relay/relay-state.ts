import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Logger } from 'pino';
import * as z from 'zod';
import { reasonOf } from '#domain/reason.ts';
import { UploadFacts } from '#protocol/uploads.ts';

/** A version of a demo in the folder. `outcome` is `sent`, or why the service refuses it for good. */
const Shape = z.object({
  ...{ size: z.number(), mtimeMs: z.number(), sha256: z.string().optional() },
  ...{ facts: UploadFacts.optional(), outcome: z.string().optional() },
});
export type RelayedDemo = z.infer<typeof Shape>;

export interface RelayState {
  readonly demos: Map<string, RelayedDemo>;
  /** Writes the state file. A crash leaves the one before. */
  put(name: string, demo: RelayedDemo): void;
}

/** Opens the state file. Without a readable one every demo is announced again, and the service lists what it lacks. */
export function openRelayState(path: string, log: Logger): RelayState {
  const demos = new Map<string, RelayedDemo>();
  try {
    const stored = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    for (const [name, demo] of Object.entries(z.record(z.string(), Shape).parse(stored))) demos.set(name, demo);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'the state file is damaged; a new one is begun');
  }
  return {
    demos,
    put(name, demo) {
      demos.set(name, demo);
      const text = JSON.stringify(Object.fromEntries(demos));
      // A link of another user is removed and not followed.
      rmSync(`${path}.new`, { force: true });
      writeFileSync(`${path}.new`, text, { flag: 'wx', mode: 0o600, flush: true });
      renameSync(`${path}.new`, path);
    },
  };
}
