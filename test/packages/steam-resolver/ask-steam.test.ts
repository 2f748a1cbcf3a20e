import { encodeMatch } from 'csgo-sharecode';
import { describe, expect, it } from 'vitest';
import { createResolve } from '../../../packages/steam-resolver/ask-steam.ts';
import { createFakeSteam } from './fake-steam.ts';

const MATCH = { matchId: 3230642215713767580n, reservationId: 3230647599455273103n, tvPort: 55788 };
const CODE = encodeMatch(MATCH);
const URL_OF = 'http://replay131.valve.net/730/003230642215713767580_0179118028.dem.bz2';
const match = (more: object) => ({ matchid: String(MATCH.matchId), matchtime: 1_700_000_000, ...more });
const quiet = () => {};

async function ask(matches: readonly object[] | null, code = CODE, waitMs = 5000) {
  const fake = createFakeSteam(() => matches);
  const resolve = createResolve(fake.steam, quiet, waitMs);
  fake.signIn();
  return { found: await resolve(code), ...fake };
}

describe('the answer of the game', () => {
  it('names the replay in its last round; the request has the numbers of the share code', async () => {
    const rounds = [{ map: 'http://replay1.valve.net/730/1_1.dem.bz2' }, { round_result: 2 }, { map: URL_OF }];
    const { found, asked } = await ask([match({ roundstatsall: rounds })]);
    expect(found).toEqual({ url: URL_OF });
    expect(asked).toEqual([
      { matchid: String(MATCH.matchId), outcomeid: String(MATCH.reservationId), token: MATCH.tvPort },
    ]);
  });

  it.each([
    ['an older match has it elsewhere', [match({ roundstats_legacy: { map: URL_OF } })], { url: URL_OF }],
    ['no match: the code is unknown', [], { code: 'share_code_unknown' }],
    ['no address: the replay is gone', [match({ roundstatsall: [{ map: 'de_nuke' }] })], { code: 'replay_expired' }],
    ['no rounds: the replay is gone', [match({})], { code: 'replay_expired' }],
    ['another match is no answer', [match({ matchid: '1' })], { code: 'resolver_signed_out' }],
  ])('%s', async (_, matches, found) => {
    expect((await ask(matches)).found).toEqual(found);
  });

  it('that does not come in time is a lost session; the next code begins a new one', async () => {
    let answers = 0;
    const fake = createFakeSteam(() => (answers++ === 0 ? null : [match({ roundstatsall: [{ map: URL_OF }] })]));
    const resolve = createResolve(fake.steam, quiet, 1500);
    fake.signIn();
    expect(await resolve(CODE)).toEqual({ code: 'resolver_signed_out' });
    expect(await resolve(CODE)).toEqual({ url: URL_OF });
  });

  it('is not waited for while nobody is signed in', async () => {
    const fake = createFakeSteam(() => []);
    const resolve = createResolve(fake.steam, quiet, 50);
    fake.signOut();
    expect(await resolve(CODE)).toEqual({ code: 'resolver_signed_out' });
    expect(fake.asked).toEqual([]);
  });
});
