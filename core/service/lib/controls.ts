import { reasonOf } from '#domain/lib/text.ts';
import { notFound, ProblemError } from '#http/problem.ts';
import { TransientError } from '#http/to-problem.ts';
import type { Log } from '#platform/log.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import { DiskState, type MaintenanceView } from '#protocol/operate/controls.ts';
import type { Database } from '#storage/lib/database.ts';
import { type ControlRow, selectControls } from '#storage/operate/upkeep.ts';

/** Milliseconds that an isolate caches the controls: a change is in force everywhere within twice this time. */
const CACHED_MS = 5000;
/** The most seconds of `Retry-After`: maintenance may end earlier than announced. */
const MOST_RETRY_S = 300;

/** The operator's controls. */
export interface Controls {
  /** Null if there is none now. */
  readonly maintenance: ControlRow | null;
  readonly blocks: readonly ControlRow[];
  /** For `AddressPolicy`. */
  readonly blocked: readonly string[];
}

/** Reads the controls, from the cache of this isolate if they are new enough. */
export interface ControlCache {
  /** Never rejects: without the index the last known ones count. */
  read(): Promise<Controls>;
  /** Reads the index. */
  readAnew(): Promise<Controls>;
}

export function createControls(database: Database, now: () => number, log: Log): ControlCache {
  let known: { rows: readonly ControlRow[]; at: number } | null = null;
  async function readAnew(): Promise<Controls> {
    const rows = await selectControls(database);
    known = { rows, at: now() };
    return controlsIn(rows, now());
  }
  return {
    readAnew,
    async read() {
      const { rows, at } = known ?? { rows: [], at: Number.NEGATIVE_INFINITY };
      if (Math.abs(now() - at) < CACHED_MS) return controlsIn(rows, now());
      // Requests that come meanwhile use the known ones: none may await the read of another.
      if (known) known = { rows, at: now() };
      return readAnew().catch((error: unknown) => {
        log('failed to read the controls', { error: reasonOf(error) });
        return controlsIn(rows, now());
      });
    },
  };
}

function controlsIn(rows: readonly ControlRow[], now: number): Controls {
  const isOver = ({ until }: ControlRow) => until !== null && until <= now;
  const blocks = rows.filter(({ kind }) => kind === 'block');
  return {
    maintenance: rows.find((row) => row.kind === 'maintenance' && !isOver(row)) ?? null,
    blocks,
    blocked: blocks.map(({ name }) => name),
  };
}

/** Throws a 503 problem during maintenance. */
export async function requireIntake(controls: ControlCache, now: number): Promise<void> {
  const { maintenance } = await controls.read();
  if (maintenance === null) return;
  const { reason, until } = maintenance;
  const left = until === null ? MOST_RETRY_S : Math.ceil((until - now) / 1000);
  const end = until === null ? '' : ` (until ${new Date(until).toISOString()})`;
  throw new ProblemError('unavailable', `The service takes no new work, for maintenance: ${reason}${end}`, {
    headers: { 'Retry-After': String(Math.min(left, MOST_RETRY_S)) },
  });
}

export function maintenanceView({ reason, createdAt, until, operator }: ControlRow): MaintenanceView {
  return { reason, since: isoTime(createdAt), until: isoTimeOrNull(until), operator };
}

/** The disk of a stack. A service without its own disk has always space. */
export interface Disk {
  /** Whether this multiple of `DISK_RESERVE_MIB` is free, without the bytes that are held. */
  hasSpace(share: number): Promise<boolean>;
  /** Holds space for bytes that are to come; null if there is not so much beside the reserve. */
  hold(bytes: number): Promise<HeldSpace | null>;
  /** Null for a service without its own disk. */
  state(): Promise<DiskState | null>;
}

/** Space on the disk for a file that is coming. */
export interface HeldSpace {
  /** Gives back what has come. */
  came(bytes: number): void;
  /** Gives back the rest. */
  release(): void;
}

const FRESH_MS = 1000;

/** Creates the check of free space. `disk` answers with a `DiskState`. */
export function createDisk(disk: Fetcher | undefined, reserve: number, now: () => number): Disk {
  let last: DiskState | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let held = 0;
  const state = async () => {
    if (disk && Math.abs(now() - lookedAt) >= FRESH_MS) {
      const response = await disk.fetch('http://disk/');
      last = DiskState.parse(await response.json());
      lookedAt = now();
    }
    return last;
  };
  /** Nothing is awaited between its answer and what is held then: calls may be concurrent. */
  const isFree = (found: DiskState | null, bytes: number) => found === null || found.freeBytes - held >= bytes;
  return {
    state,
    hasSpace: async (share) => isFree(await state(), reserve * share),
    async hold(bytes) {
      if (!isFree(await state(), reserve + bytes)) return null;
      held += bytes;
      let left = bytes;
      const came = (some: number) => {
        held -= Math.min(left, some);
        left -= Math.min(left, some);
      };
      return { came, release: () => came(left) };
    },
  };
}

/** Returns a file of src/static. Throws a 404 problem if there is none; rejects if it cannot be read. */
export type StaticFile = (name: string, headers?: HeadersInit) => Promise<Response>;

export const staticFileOf =
  ({ STATIC }: { readonly STATIC: Fetcher }): StaticFile =>
  async (name, headers = {}) => {
    const file = await STATIC.fetch(`https://static/${name}`, { headers });
    if (file.status === 404) throw notFound();
    if (file.status >= 400) throw new TransientError(`the file ${name} cannot be read: ${file.status}`);
    return file;
  };
