import { describe, expect, it } from 'vitest';
import { factsOf } from '#protocol/game-server-facts.ts';

const facts = (headers: Record<string, string>) => factsOf(new Headers(headers));

describe('what a game server says about a demo', () => {
  it.each(['MatchZy', 'Get5'])('is read from the headers of %s', (plugin) => {
    const headers = { FileName: 'a.dem', MatchId: 'cup 7', MapNumber: '0', RoundNumber: '24' };
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [`${plugin}-${name}`, value]));
    expect(facts(sent)).toEqual({ file_name: 'a.dem', match_id: 'cup 7', map_number: 0, round_number: 24 });
  });

  it('is null without such headers', () => {
    expect(facts({ 'Content-Type': 'application/octet-stream' })).toBeNull();
    expect(facts({ 'MatchZy-FileName': ' ', 'MatchZy-MapNumber': 'x' })).toBeNull();
  });

  it('is cut, and leaves out what is no number', () => {
    const sent = { 'MatchZy-FileName': 'f'.repeat(300), 'MatchZy-MatchId': 'm'.repeat(300) };
    const { file_name = '', match_id = '' } = facts(sent) ?? {};
    expect([file_name.length, match_id.length]).toEqual([200, 100]);
    for (const wrong of ['-1', '1.5', '1234567890', '1 2', 'a1']) {
      const headers = { 'MatchZy-MatchId': '1', 'MatchZy-MapNumber': '123456789', 'MatchZy-RoundNumber': wrong };
      expect(facts(headers)).toEqual({ match_id: '1', map_number: 123_456_789 });
    }
  });
});
