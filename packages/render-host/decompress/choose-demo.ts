import { cleanName } from '#domain/clean-text.ts';

/** The demos of an archive of which none, or none of that name, is asked for. */
export class NoSuchChoice extends Error {
  readonly demos: readonly string[];

  constructor(detail: string, demos: readonly string[]) {
    super(`${detail}: ${demos.slice(0, MOST_NAMES).map(cleanEntry).join(', ')}`);
    this.demos = demos.slice(0, MOST_NAMES).map(cleanEntry);
  }
}

/** How many names are told. A match has up to five maps. */
const MOST_NAMES = 20;
/** Code points. */
const NAME_LENGTH_AT_MOST = 200;
const DEMO = /\.dem(\.(bz2|gz|zst))?$/i;

/** Cleans a name of an archive, which anybody may have written. */
function cleanEntry(name: string): string {
  return cleanName(name, NAME_LENGTH_AT_MOST);
}

/** Returns the names of the demos among the files of an archive, cleaned. */
export function demosIn(names: readonly string[]): string[] {
  return names
    .filter((name) => DEMO.test(name))
    .slice(0, MOST_NAMES)
    .map(cleanEntry);
}

/**
 * Returns the position of the file to unpack: the demo that is asked for by its path in the archive or by its name,
 * else the only demo, else the only file, which may be an archive.
 *
 * @param wanted null if none is asked for
 * @throws {NoSuchChoice} if there are several, or not that one; an error if there is none.
 */
export function chooseDemo(names: readonly string[], wanted: string | null): number {
  const demos = [...names.keys()].filter((at) => DEMO.test(names[at] ?? ''));
  const [only] = demos.length > 0 ? demos : [...names.keys()];
  if (demos.length === 0) {
    if (names.length === 1 && only !== undefined) return only;
    throw new Error('there is no .dem file in it');
  }
  const all = demos.map((at) => names[at] ?? '');
  if (wanted === null) {
    if (demos.length === 1 && only !== undefined) return only;
    throw new NoSuchChoice(`it has ${demos.length} demos, and the URL ends with no "#" and the name of one`, all);
  }
  for (const form of /[\\/]/.test(wanted) ? FORMS.slice(0, 2) : FORMS) {
    const found = demos.filter((at) => form(names[at] ?? '') === form(wanted));
    if (found.length === 1 && found[0] !== undefined) return found[0];
  }
  throw new NoSuchChoice(`it has no demo ${JSON.stringify(cleanEntry(wanted))}, or several of that name`, all);
}

const plain = (name: string): string => name.replaceAll('\\', '/').replace(/\.(bz2|gz|zst)$/i, '');
const base = (name: string): string => plain(name).split('/').at(-1) ?? '';
/** What is compared: paths, and then names without them. */
const FORMS: readonly ((name: string) => string)[] = [
  ...[(name: string) => name, plain, base],
  (name) => base(name).toLowerCase(),
];
