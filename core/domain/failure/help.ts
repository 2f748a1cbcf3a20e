import { describeWrongFile } from '#domain/lib/file-headers.ts';
import { ERROR_CODES, type ErrorCode, type Facts } from './codes.ts';

/**
 * Returns `round 3`, `rounds 1 to 12` or `rounds 4, 7 (2) and 9`. `numbers` is ascending; a repeated one is counted.
 */
export function roundList(numbers: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  const runs: number[][] = [];
  for (const [number, count] of counts) {
    if (count === 1 && counts.get(number - 1) === 1) runs.at(-1)?.push(number);
    else runs.push([number]);
  }
  const shown = (number: number) => (counts.get(number) === 1 ? `${number}` : `${number} (${counts.get(number)})`);
  const parts = runs.flatMap((run) => (run.length > 2 ? [`${run[0]} to ${run.at(-1)}`] : run.map(shown)));
  return `round${counts.size > 1 ? 's' : ''} ${new Intl.ListFormat('en-GB').format(parts)}`;
}

/** Help for each error code, for the clients of a failed job. Each sentence can be read alone. */
export interface ErrorHelp {
  readonly causes: readonly string[];
  /** The first one is part of every failure's explanation. */
  readonly todo: readonly [string, ...string[]];
}

const AGAIN = 'Run the job again with a resubmit, or with `force` and its idempotency key.';
const SUPPORT = 'Ask for help with the id of the job if it happens again.';

export const ERROR_HELP: Readonly<Record<ErrorCode, ErrorHelp>> = {
  demo_url_rejected: {
    causes: [
      'The domain of the `demo_url`, or of what it redirects to, is not on the list of accepted domains.',
      'The address is private, is of this service, or has a port that is not for the web.',
      'The operator of the service has blocked the domain or the address.',
      'It is a match room of FACEIT, or a file of FACEIT that is not signed, and the service has no FACEIT_API_KEY.',
    ],
    todo: [
      'Give the address of the demo on an accepted domain; a demo of FACEIT as a signed address or an upload, unless the operator sets FACEIT_API_KEY.',
      'Ask the operator of the service to accept the domain.',
    ],
  },
  demo_404: {
    causes: ['The demo was removed: many servers keep one for some days only.', 'The address is mistyped.'],
    todo: ['Open the `demo_url` yourself, and submit the job with an address where the file is.'],
  },
  demo_incompatible: {
    causes: [
      'The demo is of another game than Counter-Strike 2.',
      'It was recorded with a build of the game that no render host can play: the game plays what is old, or too new for it, badly or not at all.',
      'It crashes the game while it loads, as recordings with a pet in the first tick may do.',
    ],
    todo: [
      'Check that it is a Counter-Strike 2 demo; if the game was updated since, try it again in a day.',
      'Submit it with `fallback: "radar"`: the radar then makes the clip without the game.',
    ],
  },
  player_not_in_demo: {
    causes: ['The `steam64_id` is of somebody who did not play in this match.', 'The demo is of another match.'],
    todo: ['Check the `steam64_id`, and that the demo is of the right match.'],
  },
  pov_only: {
    causes: ['A player recorded the demo themselves: such a demo has nobody else’s view.'],
    todo: ['Ask for the player who recorded it, or take the demo that the server recorded (GOTV).'],
  },
  no_kills_found: {
    causes: [
      'The player has no kills in the round that was asked for, or none at all.',
      'Suicides, kills of teammates and kills in the warm-up are no kills.',
    ],
    todo: ['Ask for a round in which the player has kills, or leave `round` out for all of them.'],
  },
  segment_not_in_demo: {
    causes: ['A segment of the timeline begins after the last tick of the demo, or ends before its first.'],
    todo: ['Choose ticks that are in the demo. Ticks count from its beginning, not from that of the match.'],
  },
  clip_too_long: {
    causes: ['What was asked for is longer, or its file larger, than what the operator has rendered.'],
    todo: ['Ask for one round, shorter paddings, fewer segments or fewer frames a second.'],
  },
  workshop_not_supported: {
    causes: ['The match was played on a map from the workshop, which render hosts do not have for the game.'],
    todo: [
      'Submit it with `fallback: "radar"`: the radar then makes the clip without the game.',
      'Take a demo of a map that comes with the game.',
    ],
  },
  demo_failed_parse: {
    causes: [
      'What the server sent is no demo: often it is a web page that says that the link has expired.',
      'The file is cut off or damaged.',
    ],
    todo: [
      'Download the `demo_url` yourself and look at it: it has to begin with `PBDEMS2`, or be an archive of that.',
    ],
  },
  decompress_failed: {
    causes: [
      'The archive is cut off or damaged.',
      'It holds no demo, or several of which none was chosen.',
      'The archive is not supported: it is a .7z, .xz or .tar, encrypted or split.',
    ],
    todo: [
      'Download the archive yourself and unpack it; if that fails too, take another copy.',
      'Of an archive with several demos, choose one: write `#` and its name after the `demo_url`.',
    ],
  },
  download_timeout: {
    causes: ['The server of the demo sent it too slowly, in every attempt.'],
    todo: ['Put the demo on a faster server.', AGAIN],
  },
  download_error: {
    causes: [
      'The server of the demo refused the download: a signed link may have expired.',
      'It could not be reached, or broke off, in every attempt.',
    ],
    todo: ['Check that the `demo_url` can be downloaded without a login, and still can in an hour.', AGAIN],
  },
  cs2_unavailable: {
    causes: [
      'Render machines crashed, stalled or vanished, in every attempt.',
      'There was no machine for a long time.',
    ],
    todo: ['The fault is ours and nothing is wrong with your request: run the job again.', SUPPORT],
  },
  render_failed: {
    causes: ['Drawing or encoding the clip failed.', 'An asset of it was deleted before its job ran.'],
    todo: ['If you deleted an asset, submit again with another. Else run the job again once.', SUPPORT],
  },
  upload_error: {
    causes: ['The clip was rendered, and could not be stored in any attempt.'],
    todo: ['The fault is ours and nothing is wrong with your request: run the job again.', SUPPORT],
  },
  finalize_failed: {
    causes: ['The clip was rendered, and its file was not fit to deliver.'],
    todo: ['The fault is ours: run the job again.', SUPPORT],
  },
  canceled: {
    causes: ['You have canceled the job, or the operator of the service has.'],
    todo: [AGAIN],
  },
  clip_removed: {
    causes: ['The operator took the clip down. Its job makes no clip any more.'],
    todo: ['Read the reason with `GET /api/clips/:id?include=removal`, and write to the operator.'],
  },
};

/** Explains in a sentence or two why a job failed and what its client can do. `facts`: the host's details. */
export function explainFailure(code: ErrorCode, facts: Facts | null): string {
  const help: ErrorHelp | undefined = ERROR_HELP[code];
  // A later version may have stored a code that is unknown here.
  if (!help) return 'The job failed.';
  const explanation = facts && (explainRefusal(facts) ?? EXPLAIN_WITH_FACTS[code]?.(facts));
  const parts = Array.isArray(facts?.other_parts) ? facts.other_parts.join('; ') : '';
  const others = parts && ` Not part of the match: ${parts}. A \`timeline\` can show these ticks.`;
  return `${explanation ?? `${ERROR_CODES[code].meaning} ${help.todo[0]}`}${others}`;
}

/** Explains a platform's refusal, with its own reason. Returns null if no platform refused the demo. */
function explainRefusal({ refused_by: by, http_status: status, reason }: Facts): string | null {
  if (typeof by !== 'string') return null;
  const says = status === null ? `did not answer (${reason})` : `answered ${status}: ${reason}`;
  const isKey = status === 401 || status === 403;
  if (isKey) return `${by} ${says}. Ask the operator to check the service's key, or upload the demo.`;
  const isGone = status === 400 || status === 404;
  return `${by} ${says}. ${isGone ? 'Check the address: demos are kept for some weeks only.' : AGAIN}`;
}

/** Other games with such demos, by the name of their folder. */
const GAMES: Readonly<Record<string, string>> = { citadel: 'Deadlock', dota: 'Dota 2' };

type Say = (facts: Facts) => string | null;

const numbersIn = (value: Facts[string] | undefined): number[] =>
  Array.isArray(value) ? value.filter((one): one is number => typeof one === 'number') : [];

/** Explanations that use the facts. Null if the facts do not suffice. */
const EXPLAIN_WITH_FACTS: Partial<Record<ErrorCode, Say>> = {
  no_kills_found({ round_asked: asked, rounds, rounds_in_demo: known }) {
    const [kills, all] = [numbersIn(rounds), numbersIn(known)];
    const where = typeof asked === 'number' ? ` in round ${asked}` : '';
    const which = kills.length === 1 ? 'that' : 'one of these';
    const has =
      kills.length > 0 ? `They have some in ${roundList(kills)}: ask for ${which}.` : 'They have none at all.';
    const isMissing = typeof asked === 'number' && all.length > 0 && !all.includes(asked);
    const isWhole = all[0] === 1 && all.at(-1) === all.length;
    const covered = isWhole ? `${all.length} round${all.length === 1 ? '' : 's'}` : roundList(all);
    return `The player has no kills${where}${isMissing ? `: the demo has ${covered}` : ''}. ${has}`;
  },
  player_not_in_demo({ player_asked: asked, players }) {
    const count = Array.isArray(players) ? players.length : 0;
    if (typeof asked !== 'string' || count === 0) return null;
    return `Player ${asked} did not play in this match. \`facts.players\` has those who did: check the \`steam64_id\`.`;
  },
  pov_only({ recorded_by: recorder }) {
    if (typeof recorder !== 'string') return null;
    return `Player ${recorder} recorded this demo and is the only one it can show: ask for that player, or take the server's own demo.`;
  },
  segment_not_in_demo({ start_tick: start, end_tick: end, first_tick: first, last_tick: last }) {
    if (typeof last !== 'number') return null;
    return `The segment from tick ${start} to ${end} is not in the demo, which has ticks ${first} to ${last}.`;
  },
  clip_too_long({ unit, length, most }) {
    if (typeof unit !== 'string') return null;
    return `The clip would have ${length} ${unit}, and ${most} is the most. ${ERROR_HELP.clip_too_long.todo[0]}`;
  },
  demo_404: ({ http_status: status }) =>
    typeof status === 'number' ? `The server of the demo answered ${status}. ${ERROR_HELP.demo_404.todo[0]}` : null,
  download_error: ({ http_status: status }) =>
    typeof status === 'number'
      ? `The server of the demo answered ${status}. ${ERROR_HELP.download_error.todo[0]}`
      : null,
  demo_incompatible({ game, demo_patch: patch, game_build: build }) {
    const { todo } = ERROR_HELP.demo_incompatible;
    if (typeof game === 'string') return `This is a demo of ${GAMES[game] ?? game}, not of Counter-Strike 2.`;
    if (typeof build !== 'string') return null;
    const recorded = typeof patch === 'number' ? ` recorded by patch ${patch}` : '';
    return `The game's build ${build} cannot play this demo${recorded}. ${todo[1]}`;
  },
  workshop_not_supported: ({ map }) =>
    typeof map === 'string'
      ? `The match was played on the workshop map ${map}. ${ERROR_HELP.workshop_not_supported.todo[0]}`
      : null,
  demo_failed_parse: (facts) => asOther(facts),
  decompress_failed({ demos, packed_with: method, ...facts }) {
    if (typeof method === 'string')
      return `The demo is packed with ${method}, which is not supported: pack it with Deflate.`;
    return Array.isArray(demos)
      ? `Its demos are ${demos.join(', ')}. Choose one: write # and its name after the demo_url.`
      : asOther(facts);
  },
};

/** Says what a file is that is not a demo. `received`: the content type, null for none; only a download has it. */
function asOther({ received, found }: Facts): string | null {
  const link = 'the link may have expired, or need a login';
  const other = describeWrongFile(found);
  const isPage = received !== undefined && /^(html|s3_error|xml|json)$/.test(`${found}`);
  if (other !== null) return `The file is ${other}${isPage ? `: ${link}` : ''}.`;
  if (typeof received !== 'string' || !/^(text|application\/(json|xml|xhtml))/.test(received)) return null;
  return `The server sent ${received} instead of a demo: ${link}.`;
}
