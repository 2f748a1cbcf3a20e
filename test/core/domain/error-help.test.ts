import { describe, expect, it } from 'vitest';
import { ERROR_CODE_LIST, type ErrorCode } from '#domain/error-codes.ts';
import { ERROR_HELP, explainFailure } from '#domain/error-help.ts';

describe('why a job failed', () => {
  it.each(ERROR_CODE_LIST)('%s is said in whole sentences, with what to do', (code) => {
    const { causes, todo } = ERROR_HELP[code];
    const explanation = explainFailure(code, null);
    expect(explanation).toContain(todo[0]);
    for (const sentence of [...causes, ...todo, explanation]) expect(sentence).toMatch(/^[A-Z].*[.`]$/);
  });

  it.each<[ErrorCode, Parameters<typeof explainFailure>[1], string]>([
    [
      'no_kills_found',
      { round_asked: 9, rounds: [1, 2, 5], rounds_in_demo: [1, 2, 3, 4, 5] },
      'The player has no kills in round 9: the demo has 5 rounds. They have some in rounds 1, 2 and 5: ask for one of these.',
    ],
    [
      'no_kills_found',
      { round_asked: 2, rounds: [1], rounds_in_demo: [1, 2] },
      'The player has no kills in round 2. They have some in round 1: ask for that.',
    ],
    [
      'no_kills_found',
      { round_asked: 7, rounds: [1], rounds_in_demo: [1] },
      'The player has no kills in round 7: the demo has 1 round. They have some in round 1: ask for that.',
    ],
    [
      'no_kills_found',
      { round_asked: 1, rounds: [7, 8, 9], rounds_in_demo: [4, 5, 9] },
      'The player has no kills in round 1: the demo has rounds 4, 5 and 9. They have some in rounds 7 to 9: ask for one of these.',
    ],
    ['no_kills_found', { round_asked: null, rounds: [] }, 'The player has no kills. They have none at all.'],
    ['demo_404', { http_status: 410 }, 'The server of the demo answered 410. Open the `demo_url` yourself'],
    ['demo_404', {}, 'The demo URL answered 404.'],
    ['download_error', { http_status: 403 }, 'The server of the demo answered 403. Check that the `demo_url` can'],
    [
      'download_error',
      { http_status: 403, unsigned_url_of: 'FACEIT' },
      "The server of the demo answered 403. FACEIT's files are private: sign the URL",
    ],
    ['demo_failed_parse', { received: 'text/html', bytes: 9 }, 'The server sent text/html instead of a demo'],
    ['demo_failed_parse', { received: 'application/octet-stream' }, 'The demo is incomplete or corrupted.'],
    [
      'decompress_failed',
      { found: 'tar', received: 'text/plain' },
      'The file is a .tar archive, which is not supported: send',
    ],
    ['demo_failed_parse', { found: 'html', received: null }, 'The file is an HTML page: the link may have expired'],
    ['demo_failed_parse', { found: 'html' }, 'The file is an HTML page.'],
    ['demo_failed_parse', { found: 'git_lfs' }, 'The file is a Git LFS pointer: send the demo itself.'],
    ['decompress_failed', { packed_with: 'LZMA' }, 'The demo is packed with LZMA, which is not supported'],
    ['decompress_failed', { found: 'a later word' }, 'The demo archive is truncated or corrupted.'],
    ['segment_not_in_demo', { start_tick: 9, end_tick: 99, first_tick: 0, last_tick: 5 }, 'from tick 9 to 99 is not'],
    [
      'clip_too_long',
      { unit: 'seconds', length: 900, most: 600 },
      'The clip would have 900 seconds, and 600 is the most.',
    ],
    ['pov_only', { recorded_by: '76561198000000002' }, 'Player 76561198000000002 recorded this demo'],
    ['player_not_in_demo', { player_asked: '1', players: ['2'] }, 'Player 1 did not play in this match.'],
    ['demo_incompatible', { game: 'citadel' }, 'This is a demo of Deadlock, not of Counter-Strike 2.'],
    ['demo_incompatible', { game: 'dota' }, 'This is a demo of Dota 2, not'],
    ['demo_incompatible', { game: 'CS:GO' }, 'This is a demo of CS:GO, not'],
    [
      'demo_incompatible',
      { demo_patch: 14160, game_build: '1.41.5.9' },
      "The game's build 1.41.5.9 cannot play this demo recorded by patch 14160. Submit it with",
    ],
    ['demo_incompatible', { demo_patch: null, game_build: '1.41.5.9' }, 'cannot play this demo. Submit it with'],
    ['demo_incompatible', {}, ERROR_HELP.demo_incompatible.todo[0]],
    ['workshop_not_supported', { map: 'workshop/1/de_x' }, 'on the workshop map workshop/1/de_x. Submit it with'],
    // Every set of facts has an explanation.
    ['no_kills_found', { rounds: 'none' }, 'The player has no kills. They have none at all.'],
    ['pov_only', {}, ERROR_HELP.pov_only.todo[0]],
    ['a_later_code' as ErrorCode, null, 'The job failed.'],
  ])('%s with %j', (code, facts, sentence) => {
    expect(explainFailure(code, facts)).toContain(sentence);
  });

  it('names parts of the demo that are not the match', () => {
    const facts = { other_parts: ['ticks 50 to 800, 3 rounds of Anna', 'ticks 900 to 990, 1 round of Anna'] };
    expect(explainFailure('no_kills_found', facts)).toMatch(
      / Not part of the match: ticks 50 to 800, 3 rounds of Anna; ticks 900 to 990, 1 round of Anna\. A `timeline` can /,
    );
  });

  it('names another asset if one was deleted', () => {
    expect(ERROR_HELP.render_failed.todo[0]).toMatch(/deleted an asset, submit again with another/);
  });
});
