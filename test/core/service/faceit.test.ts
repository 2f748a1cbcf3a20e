import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainFailure } from '#domain/failure/help.ts';
import type { ProblemError } from '#http/problem.ts';
import { loadSettings } from '#platform/settings.ts';
import { type FaceitDemo, faceitDemo, isAtGateway, readyDemo } from '#protocol/demo/faceit.ts';
import { checkFaceit, signedAddress } from '#service/demo/faceit.ts';
import { FACEIT_KEYS, startFaceit } from '#test/support/faceit.ts';

const { DATA, DOWNLOADS } = FACEIT_KEYS;
const ID = '1-cb038819-b0d0-4471-b25c-0e7468ab1eb1';
const FILE = `https://demos-us-east.backblaze.faceit-cdn.net/cs2/${ID}-1-1.dem.zst`;
const S3 = 'https://demos-europe-central-faceit-cdn.s3.eu-central-003.backblazeb2.com/cs2/a.dem.zst';

let faceit: Awaited<ReturnType<typeof startFaceit>>;
beforeAll(async () => {
  faceit = await startFaceit();
});
afterAll(() => faceit.stop());

function settingsWith(apiKey?: string, downloadsKey?: string, url = faceit.url) {
  const keys = { FACEIT_API_KEY: apiKey, FACEIT_DOWNLOADS_KEY: downloadsKey, FACEIT_URL: url };
  const BASE_URL = 'http://127.0.0.1:9';
  return loadSettings({ ...keys, BASE_URL, ENVIRONMENT: 'local', CLIP_ID_SECRET: 'c'.repeat(32) });
}

describe('an address of FACEIT', () => {
  it.each<[string, FaceitDemo | null]>([
    [FILE, { file: FILE }],
    [S3, { file: S3 }],
    [`${FILE}?X-Amz-Signature=1`, null],
    ['https://demos.faceit.com.example.com/cs2/a.dem', null],
    ['https://evil-faceit-cdn.s3.eu.backblazeb2.com/a.dem', null],
    ['https://demos.faceit.com:8443/cs2/a.dem', null],
    [`https://www.faceit.com/en/cs2/room/${ID}`, { match: ID, name: null }],
    [`https://www.faceit.com/cs2/room/${ID}/scoreboard`, { match: ID, name: null }],
    [`https://faceit.com/pt-br/cs2/room/${ID}/#a%20b.dem`, { match: ID, name: 'a b.dem' }],
    ['https://www.faceit.com/en/players/somebody', null],
  ])('is a file, a match room, or not one to sign: %s', (address, demo) => {
    expect(faceitDemo(address)).toEqual(demo);
    expect(isAtGateway(address, { ownOrigins: [], faceit: {} })).toBe(demo !== null);
    expect(isAtGateway(address, { ownOrigins: [], faceit: null })).toBe(false);
  });

  it('is read from a message, without its signature', () => {
    expect(readyDemo({ id: ID, demo_url: `${FILE}?X-Amz-Signature=1` })).toEqual({ match: ID, file: FILE });
    for (const payload of [{ id: ID }, { id: ID, demo_url: 'https://example.com/a.dem' }, undefined]) {
      expect(readyDemo(payload)).toBeNull();
    }
  });
});

describe('a demo of FACEIT', () => {
  const refusalOf = (demo: FaceitDemo, settings = settingsWith(DATA, DOWNLOADS)) =>
    signedAddress(settings, demo).then(expect.unreachable, (error: ProblemError) => error);

  it('is signed by the second key, or else the first; one of several is chosen by its name', async () => {
    const { id, files, url } = faceit.addMatch(2);
    const [first = '', second = ''] = files;
    const chosen = [second, second.replace('.zst', '')].map((name) => ({ match: id, name }));
    for (const demo of [{ file: url }, ...chosen]) {
      const signed = await signedAddress(settingsWith(DATA, DOWNLOADS), demo);
      expect(signed).toContain(`/storage/${'file' in demo ? first : second}?`);
    }
    const only = { match: faceit.addMatch().id, name: null };
    expect(await signedAddress(settingsWith(DOWNLOADS), only)).toContain(only.match);
    for (const name of [null, 'another.dem']) {
      const { errorCode = '', facts = null } = await refusalOf({ match: id, name });
      expect([errorCode, facts]).toEqual(['decompress_failed', { demos: files }]);
      expect(explainFailure('decompress_failed', facts)).toContain(`Its demos are ${first}, ${second}. Choose one`);
    }
    const { message, errorCode } = await refusalOf({ match: faceit.addMatch(0, 'ONGOING').id, name: null });
    expect([errorCode, message]).toEqual(['demo_404', 'FACEIT has no demo of this match, which is ONGOING']);
  });

  it.each([
    ['demo_404', 404, 'resource not found. Check the address', { file: FILE }, DOWNLOADS],
    ['demo_404', 404, 'The resource was not found. Check', { match: ID, name: null }, DATA],
    ['demo_url_rejected', 400, 'invalid resource_url.', { file: 'https://a.example/b' }, DOWNLOADS],
    ['download_error', 403, 'no valid scope provided. Ask the operator', { file: FILE }, DATA],
    ['download_error', 401, 'The authentication token is not valid. Ask the operator', { file: FILE }, 'wrong'],
  ] as const)(
    'fails as %s with the reason of FACEIT when FACEIT answers %i',
    async (code, status, words, demo, key) => {
      const { kind, errorCode, facts = null } = await refusalOf(demo, settingsWith(key));
      expect([kind, errorCode, facts?.http_status]).toEqual(['demo_refused', code, status]);
      expect(explainFailure(code, facts)).toContain(`FACEIT answered ${status}: ${words}`);
    },
  );

  it('is asked for again after a while if FACEIT answers too many requests, or not at all', async () => {
    // An answer of 200 without a link is of a proxy.
    faceit.outages.push(429, 200);
    const away = settingsWith(DATA, DOWNLOADS, 'http://127.0.0.1:9');
    for (const [settings, wait, words] of [
      [undefined, '60', 'FACEIT answered 429: it gives no reason. '],
      [undefined, '2', 'FACEIT answered 200: its answer cannot be read'],
      [away, '2', 'FACEIT did not answer ('],
    ] as const) {
      const { kind, headers, facts = null } = await refusalOf({ file: FILE }, settings);
      expect([kind, headers['Retry-After']]).toEqual(['unavailable', wait]);
      expect(explainFailure('download_error', facts)).toContain(words);
    }
    expect(await refusalOf({ file: FILE }, settingsWith())).toMatchObject({ errorCode: 'demo_url_rejected' });
  });
});

it.each([
  ['key_missing', undefined, DOWNLOADS, 'Set FACEIT_API_KEY'],
  ['data_refused', 'wrong', DOWNLOADS, 'FACEIT answered 401: The authentication token is not valid. Set FACEIT_API'],
  ['downloads_refused', DATA, undefined, 'no valid scope provided. Apply for'],
  ['downloads_refused', DATA, 'wrong', 'set it as FACEIT_DOWNLOADS_KEY'],
  ['works', DOWNLOADS, undefined, null],
  ['no_answer', DATA, DOWNLOADS, 'FACEIT answered 502'],
])('the check says %s', async (state, apiKey, downloadsKey, words) => {
  if (state === 'no_answer') faceit.outages.push(502);
  const detail = words === null ? null : expect.stringContaining(words);
  expect(await checkFaceit(settingsWith(apiKey, downloadsKey))).toEqual({ state, detail });
});
