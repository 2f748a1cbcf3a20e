import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainFailure } from '#domain/failure/help.ts';
import type { ProblemError } from '#http/problem.ts';
import { loadSettings } from '#platform/settings.ts';
import { type FaceitDemo, faceitDemo, isAtGateway, readyDemo } from '#protocol/demo/faceit.ts';
import { checkFaceit, signedAddress } from '#service/demo/faceit.ts';
import { FACEIT_KEYS, startFaceit } from '#test/support/faceit.ts';

const { DATA, DOWNLOADS } = FACEIT_KEYS;
const ID = '1-cb038819-b0d0-4471-b25c-0e7468ab1eb1';
const CDN = 'https://demos-us-east.backblaze.faceit-cdn.net/cs2';

let faceit: Awaited<ReturnType<typeof startFaceit>>;
beforeAll(async () => {
  faceit = await startFaceit();
});
afterAll(() => faceit.stop());

function settingsWith(apiKey?: string, downloadsKey?: string, url = faceit.url) {
  const secrets = { CLIP_ID_SECRET: 'c'.repeat(32), FACEIT_API_KEY: apiKey, FACEIT_DOWNLOADS_KEY: downloadsKey };
  const given = Object.entries(secrets).filter(([, value]) => value !== undefined);
  const vars = { BASE_URL: 'http://127.0.0.1:9', ACCEPTED_DEMO_DOMAINS: '*', ENVIRONMENT: 'local', FACEIT_URL: url };
  return loadSettings({ ...vars, ...Object.fromEntries(given) });
}

describe('an address of FACEIT', () => {
  it.each<[string, FaceitDemo | null]>([
    [`${CDN}/${ID}-1-1.dem.zst`, { file: `${CDN}/${ID}-1-1.dem.zst` }],
    ['https://demos.faceit.com/cs2/a.dem.gz', { file: 'https://demos.faceit.com/cs2/a.dem.gz' }],
    [
      'https://demos-europe-central-faceit-cdn.s3.eu-central-003.backblazeb2.com/cs2/a.dem.zst',
      { file: 'https://demos-europe-central-faceit-cdn.s3.eu-central-003.backblazeb2.com/cs2/a.dem.zst' },
    ],
    [`${CDN}/a.dem.zst?X-Amz-Signature=1`, null],
    ['https://demos.faceit.com.example.com/cs2/a.dem', null],
    ['https://evil-faceit-cdn.s3.eu.backblazeb2.com/a.dem', null],
    ['https://assets.faceit-cdn.net/a.png', null],
    ['https://demos.faceit.com:8443/cs2/a.dem', null],
    [`https://www.faceit.com/en/cs2/room/${ID}`, { match: ID, name: null }],
    [`https://www.faceit.com/cs2/room/${ID}/scoreboard`, { match: ID, name: null }],
    [`https://faceit.com/pt-br/cs2/room/${ID}/#a%20b.dem`, { match: ID, name: 'a b.dem' }],
    [`https://www.faceit.com/en/cs2/room/../${ID}`, null],
    ['https://www.faceit.com/en/players/somebody', null],
    ['no address', null],
  ])('%s', (address, demo) => {
    expect(faceitDemo(address)).toEqual(demo);
    expect(isAtGateway(address, { ownOrigins: [], faceit: {} })).toBe(demo !== null);
    expect(isAtGateway(address, { ownOrigins: [], faceit: null })).toBe(false);
  });

  it.each([
    [
      { id: ID, demo_url: `${CDN}/a.dem.zst?X-Amz-Signature=1` },
      { match: ID, file: `${CDN}/a.dem.zst` },
    ],
    [{ id: ID }, { path: 'payload' }],
    [{ id: ID, demo_url: 'https://example.com/a.dem' }, { path: 'payload' }],
    [undefined, { path: 'payload' }],
  ])('in a message: %j', (payload, ready) => {
    expect(readyDemo(payload)).toMatchObject(ready);
  });
});

describe('a demo of FACEIT', () => {
  const problemOf = (demo: FaceitDemo, settings = settingsWith(DATA, DOWNLOADS)) =>
    signedAddress(settings, demo).then(
      (address) => expect.unreachable(address),
      (error: ProblemError) => error,
    );

  it('is signed by the second key, a chosen one of a match also without the ending of its archive', async () => {
    const { id, files, demo_url } = faceit.addMatch(2);
    const [first = '', second = ''] = files;
    const signedBy = (demo: FaceitDemo) => signedAddress(settingsWith(DATA, DOWNLOADS), demo);
    expect(await signedBy({ file: demo_url[0] ?? '' })).toMatch(`/storage/${first}?X-Amz`);
    for (const name of [second, second.replace('.zst', '')]) {
      expect(await signedBy({ match: id, name })).toMatch(`/storage/${second}?X-Amz`);
    }
    const { id: single, files: only } = faceit.addMatch();
    expect(await signedAddress(settingsWith(DOWNLOADS), { match: single, name: null })).toMatch(`/storage/${only[0]}?`);
  });

  it.each([
    ['no file', { file: `${CDN}/b.dem.zst` }, 'demo_404', 'FACEIT answered 404: resource not found. Check the address'],
    [
      'another file',
      { file: 'https://a.example/b' },
      'demo_url_rejected',
      'FACEIT answered 400: invalid resource_url.',
    ],
    ['no match', { match: ID, name: null }, 'demo_404', 'FACEIT answered 404: The resource was not found.'],
  ] as const)('is refused in its words: %s', async (_, demo, code, words) => {
    const { kind, errorCode, facts = null } = await problemOf(demo);
    expect([kind, errorCode]).toEqual(['demo_refused', code]);
    expect(explainFailure(code, facts)).toContain(words);
  });

  it.each([
    ['may not download', DATA, 403, 'no valid scope provided. Ask the operator'],
    ['is wrong', 'wrong', 401, 'The authentication token is not valid. Ask the operator'],
  ])('fails like a link that needs a login if the key %s', async (_, key, status, words) => {
    const { demo_url } = faceit.addMatch();
    const { errorCode, facts = null } = await problemOf({ file: demo_url[0] ?? '' }, settingsWith(key));
    expect([errorCode, facts?.http_status]).toEqual(['download_error', status]);
    expect(explainFailure('download_error', facts)).toContain(`FACEIT answered ${status}: ${words}`);
  });

  it('has to be chosen of several by a name that the match has', async () => {
    const { id, files } = faceit.addMatch(3);
    for (const name of [null, 'another.dem']) {
      const { errorCode, facts = null } = await problemOf({ match: id, name });
      expect([errorCode, facts]).toEqual(['decompress_failed', { demos: files }]);
      expect(explainFailure('decompress_failed', facts)).toContain(`Its demos are ${files.join(', ')}. Choose one`);
    }
    const { message, errorCode } = await problemOf({ match: faceit.addMatch(0, 'ONGOING').id, name: null });
    expect([errorCode, message]).toEqual(['demo_404', 'FACEIT has no demo of this match, which is ONGOING']);
  });

  it.each([[429], [503]])('is asked for again after a while if FACEIT answers %i, or not at all', async (status) => {
    faceit.outages.push(status);
    const demo = { file: `${CDN}/b.dem.zst` };
    const away = settingsWith(DATA, DOWNLOADS, 'http://127.0.0.1:9');
    for (const problem of [await problemOf(demo), await problemOf(demo, away)]) {
      expect([problem.kind, problem.headers['Retry-After']]).toEqual(['unavailable', '2']);
    }
    expect(await problemOf(demo, settingsWith())).toMatchObject({ errorCode: 'demo_url_rejected' });
  });
});

it.each([
  ['key_missing', undefined, DOWNLOADS, 'FACEIT_API_KEY'],
  ['data_refused', 'wrong', DOWNLOADS, 'developers.faceit.com'],
  ['downloads_refused', DATA, undefined, 'FACEIT_DOWNLOADS_KEY'],
  ['downloads_refused', DATA, 'wrong', 'fce.gg/downloads-api-application'],
  ['works', DATA, DOWNLOADS, null],
  ['works', DOWNLOADS, undefined, null],
])('the check says %s', async (state, apiKey, downloadsKey, todo) => {
  const check = await checkFaceit(settingsWith(apiKey, downloadsKey));
  expect(check).toMatchObject({ state, todo: todo === null ? null : expect.stringContaining(todo) });
  if (state !== 'key_missing') {
    faceit.outages.push(502);
    expect(await checkFaceit(settingsWith(apiKey, downloadsKey))).toMatchObject({ state: 'no_answer' });
  }
});
