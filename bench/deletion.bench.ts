import { parseArgs } from 'node:util';
import { Log, LogLevel, Miniflare } from 'miniflare';
import { bundleWorker } from '../local/bundle-worker.ts';
import { RUNTIME } from '../local/service.ts';

/**
 * A clip is made again, and then deleted, somewhere else in the world, while many watch it here: its record changes in
 * storage and its old files go, and nothing here hears of it. Each viewer loads the page, then the file that the page
 * names, by HTTP and the real clock. Told are the latest answer that was still of before, and what was neither the one
 * nor the other: a page cut short, a file that is not whole, a new page with an old file.
 *
 *     npx node bench/deletion.bench.ts [--viewers 32]
 */
const { values } = parseArgs({ options: { viewers: { type: 'string', default: '32' } } });
const VIEWERS = Number(values.viewers);
/** What docs/viewing.md says at most of a clip that is watched, and of one that was a moment ago. */
const STATED_S = { watched: 12, before: 22 };
const WARM_MS = 3000;

const ID = '11111111-2222-4333-8444-555555555555';
const BYTES = 300_000;
const RECORD = `records/${ID}.json`;
/** Every byte of a file says which version of the clip it is of. */
const fileOf = (version: number) => new Uint8Array(BYTES).fill(version);
const keyOf = (version: number) => `clips/${ID}/${version}/video.mp4`;
const stored = (version: number) => ({ key: keyOf(version), bytes: BYTES, sha256: String(version).repeat(64) });
const ready = (version: number) => ({
  ...{ version, state: 'ready' },
  clip: {
    ...{ title: `Version ${version}`, resolution: 1080, fps: 60, durationSeconds: 12.5, createdAt: 0, renderedAt: 0 },
    ...{ video: stored(version), thumbnail: stored(version) },
  },
});

const runtime = new Miniflare({
  ...{ log: new Log(LogLevel.ERROR), cf: false, host: '127.0.0.1', port: 0 },
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundleWorker() }],
  ...RUNTIME,
  bindings: {
    ...{ BASE_URL: 'https://tickreel.test', ENVIRONMENT: 'local', LOG_LEVEL: 'error', LOG_SAMPLE: '0' },
    ...{ ACCEPTED_DEMO_DOMAINS: '*', CLIP_ID_SECRET: 'a-secret-for-the-ids-of-clips-in-a-bench' },
    // All viewers here have one address.
    LIMIT_CLIP_GUESSES: '1000000000',
  },
});
const base = `http://127.0.0.1:${Number((await runtime.ready).port)}`;
const clips = await runtime.getR2Bucket('CLIPS');
const write = (record: { readonly version: number }) =>
  clips.put(RECORD, JSON.stringify(record), { customMetadata: { version: String(record.version) } });
await clips.put('records-complete', '');

/** The version of the clip that an answer is of; 0 for none, null for one that is broken. */
type Seen = number | null;

async function page(path: string): Promise<Seen> {
  const answer = await fetch(base + path, { headers: { Accept: 'text/html' } });
  const text = await answer.text();
  if (!text.endsWith('</html>\n')) return null;
  return answer.status === 200 ? Number(/video\.mp4\?v=(\d+)/.exec(text)?.[1] ?? Number.NaN) : 0;
}

async function file(version: number): Promise<Seen> {
  const answer = await fetch(`${base}/clips/${ID}/video.mp4?v=${version}`).catch(() => null);
  const bytes = await answer?.bytes().catch(() => null);
  // Whoever is cut off while it is deleted knows that he has not all of it.
  if (!answer || !bytes || !answer.ok) return 0;
  const [first = 0] = bytes;
  return bytes.length === BYTES && bytes.every((byte) => byte === first) ? first : null;
}

/** Has viewers watch while `change` happens, until what there was before must be gone. */
async function watched(what: string, before: number, change: () => Promise<unknown>): Promise<void> {
  let changedAt = Number.POSITIVE_INFINITY;
  let isOver = false;
  const last: Record<string, number> = { page: 0, embed: 0, file: 0 };
  let answers = 0;
  let broken = 0;
  const note = (name: string, seen: Seen, askedAt: number) => {
    answers++;
    if (seen === null) broken++;
    if (seen === before) last[name] = Math.max(last[name] ?? 0, (askedAt - changedAt) / 1000);
  };
  const viewer = async (path: string, name: string) => {
    while (!isOver) {
      const askedAt = performance.now();
      const shown = await page(path);
      note(name, shown, askedAt);
      const loadedAt = performance.now();
      const got = await file(shown || before);
      note('file', got, loadedAt);
      // What the page has named is there as it is, or as it is by now.
      if (got !== null && got !== 0 && shown !== null && got < shown) broken++;
    }
  };
  const crowd = Array.from({ length: VIEWERS }, (_, i) =>
    viewer(i % 2 ? `/clips/${ID}/embed` : `/clips/${ID}`, i % 2 ? 'embed' : 'page'),
  );
  await new Promise((resolve) => setTimeout(resolve, WARM_MS));
  changedAt = performance.now();
  await change();
  await new Promise((resolve) => setTimeout(resolve, (STATED_S.before + 1) * 1000));
  isOver = true;
  await Promise.all(crowd);
  const seconds = (name: string) => `${name} ${(last[name] ?? 0).toFixed(1)} s`;
  const late = ['page', 'embed', 'file'].map(seconds).join(', ');
  console.log(`${what}: ${answers} answers, ${broken} broken; the last of before: ${late} later`);
}

try {
  console.log(
    `${VIEWERS} viewers; stated: ${STATED_S.watched} s of a clip that is watched, ${STATED_S.before} s at most`,
  );
  await clips.put(keyOf(1), fileOf(1));
  await write(ready(1));
  await watched('made again', 1, async () => {
    await clips.put(keyOf(2), fileOf(2));
    await write(ready(2));
    await clips.delete(keyOf(1));
  });
  await watched('deleted', 2, async () => {
    await write({ version: 3, ...{ state: 'deleted' } });
    await clips.delete(keyOf(2));
  });
} finally {
  await runtime.dispose();
}
