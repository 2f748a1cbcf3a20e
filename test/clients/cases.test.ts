import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Case, casesOf } from './cases.ts';
import { LANGUAGES_HERE, startDriver } from './driver.ts';
import { startMisbehavingServer } from './misbehaving-server.ts';

let server: Awaited<ReturnType<typeof startMisbehavingServer>>;

beforeAll(async () => {
  server = await startMisbehavingServer();
});
afterAll(() => server.stop());

describe.each(LANGUAGES_HERE)('the client of %s', (language) => {
  const files = mkdtempSync(join(tmpdir(), 'tickreel-clients-'));
  writeFileSync(join(files, 'abcdef'), 'abcdef');
  const driver = startDriver(language);

  afterAll(() => {
    driver.stop();
    rmSync(files, { recursive: true });
  });

  describe.each(Object.entries(casesOf(files)))('%s', (_, cases) => {
    it.each(cases)('$name', async (one) => {
      const { replies = [] } = one;
      const { address, requests } = server.play(typeof replies === 'function' ? replies : () => replies);
      const call = typeof one.call === 'function' ? await one.call() : one.call;
      const client = { base_url: `${address}/`, api_key: 'tr_met_1', ...one.client };
      const { value, error, progress, waits } = await driver.run({ client, call });

      if (one.error) expect(error).toMatchObject(one.error);
      else expect(error).toBeUndefined();
      if ('value' in one) expect(value).toEqual(one.value);
      expect(progress).toEqual(one.progress ?? []);
      expect(waits.map((wait, i) => inside(wait, one.waits?.[i]))).toEqual(one.waits ?? []);
      if (one.requests) expect(requests.map(({ line }) => sorted(line))).toEqual(one.requests);
      for (const [name, values] of Object.entries(one.headers ?? {})) {
        expect(requests.map(({ headers }) => headers[name] ?? null)).toEqual(values);
      }
      for (const [i, body] of (one.bodies ?? []).entries()) if (body !== null) expectBody(requests[i]?.body, body);
      if (one.isSameBody) expect(new Set(requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    });
  });

  it('leaves a whole download, and no other file', () => {
    expect(readdirSync(files).sort()).toEqual(['abcdef', 'clip.mp4']);
    expect(readFileSync(join(files, 'clip.mp4'), 'utf8')).toBe('the clip');
  });
});

/** Returns the expected range for a wait inside of it, else the wait. */
function inside(wait: number, range: NonNullable<Case['waits']>[number] = [-1, -1]): unknown {
  return wait >= range[0] && wait <= range[1] ? range : wait;
}

/** The order of a query has no meaning. */
function sorted(line: string): string {
  const [path = '', query] = line.split('?');
  return query === undefined ? path : `${path}?${query.split('&').sort().join('&')}`;
}

function expectBody(body: unknown, expected: object | string): void {
  if (typeof expected === 'string') expect(body).toBe(expected);
  else expect(body).toMatchObject(expected);
}
