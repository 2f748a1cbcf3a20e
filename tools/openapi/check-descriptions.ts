/** A description does not begin with these: it begins with the thing that it describes, or with a verb. */
const NO_HEADS = new Set(
  [
    'it its they their them these those this that there or and so only not null none',
    'what where when why who whose whom which how',
    'as of for by with in at on to from until since',
  ].flatMap((words) => words.split(' ')),
);
const RIDDLE = /\b(goes by|where it|likewise|became of|he|his|him)\b/i;
const LEAST_WORDS = 4;
/** Keys of a document whose values are data. */
const DATA = new Set(['example', 'examples', 'default', 'enum']);

/**
 * Returns the faults of the descriptions and summaries of a document. Customers read them in tooltips, apart from all
 * else. A summary is a title, so it may have fewer words.
 */
export function faultyDescriptions(document: object, path = ''): string[] {
  return Object.entries(document).flatMap(([key, value]) => {
    if (typeof value === 'object' && value !== null && !DATA.has(key)) {
      return faultyDescriptions(value, `${path}/${key}`);
    }
    if (typeof value !== 'string' || (key !== 'description' && key !== 'summary')) return [];
    const fault = faultOf(value, key === 'summary' ? 1 : LEAST_WORDS);
    return fault ? [`${path}: "${value}" ${fault}`] : [];
  });
}

function faultOf(text: string, leastWords: number): string | undefined {
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length < leastWords) return `has fewer than ${leastWords} words`;
  const [first = ''] = words;
  if (NO_HEADS.has(first.replace(/\W+$/, '').toLowerCase())) return 'begins with no noun or verb';
  const [riddle] = RIDDLE.exec(text) ?? [];
  return riddle && `has "${riddle}"`;
}
