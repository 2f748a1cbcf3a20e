import type { Facts } from '#domain/failure/codes.ts';
import { fileKind, isArchive, WRONG_FILES, type WrongFile } from '#domain/lib/file-headers.ts';
import { cleanName } from '#domain/lib/text.ts';

/** An undamaged archive that is refused. `facts`: for clients. */
export class RefusedArchive extends Error {
  readonly facts: Facts;

  constructor(detail: string, facts: Facts) {
    super(detail);
    this.facts = facts;
  }
}

/** Returns the error for an archive that is not read. */
export function wrongArchive(found: WrongFile): RefusedArchive {
  return new RefusedArchive(`it is ${WRONG_FILES[found]}`, { found });
}

function noSuchChoice(detail: string, demos: readonly string[]): RefusedArchive {
  return new RefusedArchive(`${detail}: ${demos.join(', ')}`, { demos });
}

export interface ArchivedFile {
  readonly name: string;
  /** Its first bytes in hexadecimal, empty if they cannot be read. */
  readonly head: string;
  /** The CRC-32 and the length of its content, equal for equal files; null if the archive has none. */
  readonly sum: string | null;
}

/** How many names are told. A match has up to five maps. */
const MOST_NAMES = 20;
/** Code points. */
const NAME_LENGTH_AT_MOST = 200;
/** macOS adds metadata files, whose names begin with `._`. */
const DEMO = /(^|[\\/])(?!\._)[^\\/]*\.dem(\.(bz2|gz|zst))?$/i;

const isDemo = ({ head }: ArchivedFile): boolean => fileKind(head) === 'demo';
const isReadable = (file: ArchivedFile): boolean => isDemo(file) || isArchive(fileKind(file.head));
const isCalledDemo = ({ name }: ArchivedFile): boolean => DEMO.test(name);

/** The files to choose from are the first of these groups that has any. Errors name what is in the last two. */
const GROUPS: readonly ((file: ArchivedFile) => boolean)[] = [
  (file) => isDemo(file) || (isReadable(file) && isCalledDemo(file)),
  isReadable,
  ({ head }) => fileKind(head) !== null,
  isCalledDemo,
];

/** Cleans a name of an archive, which anybody may have written. */
function cleanEntry(name: string): string {
  return cleanName(name, NAME_LENGTH_AT_MOST);
}

/**
 * Returns the file to unpack, and the names of those to choose from. These are the files that begin as a demo, else as
 * an archive, whatever their names; a demo that is there twice counts once. Chooses the one that is asked for by its
 * path in the archive or by its name, else the only one. A single archive in the archive has no name to choose.
 *
 * @param wanted null if none is asked for
 * @param contentOf reads a .gz file, to compare what is in it with the demo beside it; none is read twice
 * @throws {RefusedArchive} if there are several, or not that one; an error if there is none.
 */
export async function chooseDemo<File extends ArchivedFile>(
  files: readonly File[],
  wanted: string | null,
  contentOf: (file: File) => AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<{ file: File; demos: readonly string[] }> {
  const at = GROUPS.findIndex((isIn) => files.some(isIn));
  const group = files.filter(GROUPS[at] ?? (() => files.length === 1));
  const sums = new Map<File, string | File>();
  for (const file of group) {
    const isPacked = group.some((other) => other !== file && isDemo(other) && base(other.name) === base(file.name));
    const isTwin = isPacked && fileKind(file.head) === 'gzip';
    sums.set(file, (isTwin ? await gzipSum(contentOf(file)) : file.sum) ?? file);
  }
  const distinct = withoutRepeats(group, sums);
  const [only] = distinct;
  if (only === undefined) throw new Error('there is no .dem file in it');
  const isOnly = distinct.length === 1;
  if (isOnly && !isCalledDemo(only) && !isDemo(only)) return { file: only, demos: [] };
  const demos = distinct.slice(0, MOST_NAMES).map(({ name }) => cleanEntry(name));
  if (wanted === null) {
    if (isOnly) return { file: only, demos };
    throw noSuchChoice(`it has ${distinct.length} demos, and the URL ends with no "#" and the name of one`, demos);
  }
  for (const form of /[\\/]/.test(wanted) ? FORMS.slice(0, 2) : FORMS) {
    const named = group.filter(({ name }) => form(name) === form(wanted));
    const [found, ...others] = withoutRepeats(named, sums);
    if (found !== undefined && others.length === 0) return { file: found, demos };
  }
  throw noSuchChoice(`it has no demo ${JSON.stringify(cleanEntry(wanted))}, or several of that name`, demos);
}

/** Leaves out files whose content is that of another, as a demo beside its .gz; keeps the one that is not packed. */
function withoutRepeats<File extends ArchivedFile>(files: readonly File[], sums: Map<File, string | File>): File[] {
  const kept = new Map<string | File, File>();
  for (const file of files) {
    const sum = sums.get(file) ?? file;
    const before = kept.get(sum);
    if (before === undefined || (isDemo(file) && !isDemo(before))) kept.set(sum, file);
  }
  return [...kept.values()];
}

/** Returns the `sum` of what is in a .gz file, by the last eight bytes of that file (RFC 1952, 2.3.1). */
async function gzipSum(content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string | null> {
  let end = Buffer.alloc(0);
  for await (const chunk of content) end = Buffer.concat([end, chunk.subarray(-8)]).subarray(-8);
  return end.length < 8 ? null : `${end.readUInt32LE(0)} ${end.readUInt32LE(4)}`;
}

const plain = (name: string): string => name.replaceAll('\\', '/').replace(/\.(bz2|gz|zst)$/i, '');
const base = (name: string): string => plain(name).split('/').at(-1) ?? '';
/** What is compared: paths, and then names without them. */
const FORMS: readonly ((name: string) => string)[] = [
  ...[(name: string) => name, plain, base],
  (name) => base(name).toLowerCase(),
];
