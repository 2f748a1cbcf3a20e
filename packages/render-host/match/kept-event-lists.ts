import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The events that are read, of one build of the game: its ids and the order of its fields differ between builds. */
export type EventList = z.infer<typeof EventList>;

const EventList = z
  .array(z.object({ id: z.int(), name: z.string().max(64), fields: z.array(z.string().max(64)).max(64) }))
  .max(200);

/** Each list of a build, with up to two accounts whose demos have it. */
const Stored = z.record(z.string(), z.array(z.object({ list: EventList, accounts: z.array(z.string()).max(2) })));

/** The lists of events of demos, for demos of the same build that have lost theirs. */
export interface KeptEventLists {
  /**
   * Returns the list of each build that an account may rely on. `account` is the gateway's opaque word for it, or null.
   */
  known(account: string | null): Promise<Readonly<Record<string, EventList>>>;
  /** Adds the list of a demo. Never rejects: an error of the disk only loses it. */
  add(build: string, account: string | null, list: EventList): Promise<void>;
}

/** A build is played for some weeks. */
const MOST_BUILDS = 32;
/** Of one build, because anybody can make up lists. */
const MOST_LISTS = 8;
const FILE = 'event-lists.json';

/**
 * Keeps event lists in a file of a folder. A list counts for the account whose demo had it, and for all once demos of
 * two accounts have it, so that nobody can change how the demos of others are read.
 */
export function createKeptEventLists(folder: string): KeptEventLists {
  const path = join(folder, FILE);
  let writing: Promise<void> = Promise.resolve();

  async function read(): Promise<z.infer<typeof Stored>> {
    try {
      return Stored.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch {
      return {};
    }
  }

  async function store(build: string, account: string, list: EventList): Promise<void> {
    const stored = await read();
    const lists = stored[build] ?? [];
    const text = JSON.stringify(list);
    const same = lists.find((one) => JSON.stringify(one.list) === text);
    if (same?.accounts.includes(account) || same?.accounts.length === 2) return;
    if (same !== undefined) same.accounts.push(account);
    else if (lists.length < MOST_LISTS) lists.push({ list, accounts: [account] });
    // Numbers are in their order in an object, so the oldest builds go.
    const kept = Object.fromEntries(Object.entries({ ...stored, [build]: lists }).slice(-MOST_BUILDS));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, JSON.stringify(kept));
    await rename(`${path}.new`, path);
  }

  return {
    async known(account) {
      const entries = Object.entries(await read()).flatMap(([build, lists]): [string, EventList][] => {
        const own = lists.find(({ accounts }) => account !== null && accounts.includes(account));
        const agreed = lists.find(({ accounts }) => accounts.length === 2);
        const found = own ?? agreed;
        return found === undefined ? [] : [[build, found.list]];
      });
      return Object.fromEntries(entries);
    },

    add(build, account, list) {
      const parsed = EventList.safeParse(list);
      if (account === null || !parsed.success) return Promise.resolve();
      writing = writing.then(() => store(build, account, parsed.data)).catch(() => {});
      return writing;
    },
  };
}
