import type { Demo, DemoMatch, Job, SubmitRequest } from '#client/index.ts';
import { weaponName } from '#domain/clip/names.ts';
import { href } from '#protocol/lib/routes.ts';

type DemoKill = DemoMatch['kills'][number];

/** A moment that the user can tick. */
export interface ClipChoice {
  readonly id: string;
  /** Why it is a highlight, as `3k`; null if it is none. */
  readonly kind: string | null;
  /** Such as `3 kills by Ferris, round 7`. */
  readonly label: string;
  readonly kills: readonly DemoKill[];
  readonly request: SubmitRequest;
}

/** The id of a player's kills in a round. */
export const cellId = (player: number, round: number): string => `${player}.${round}`;

/**
 * Returns what can be ticked in a demo, by id: the highlights, the best first, and each player's kills in each round.
 * If the clip of a highlight shows all kills of a round, the two are one choice.
 */
export function clipChoices({ demo_url, match }: Demo): ReadonlyMap<string, ClipChoice> {
  const moments = new Map<string, ClipChoice>();
  if (match === null) return moments;
  const nameOf = (player: number) => match.players[player]?.name ?? 'a player';
  const addRound = (player: number, round: number, kind: string | null) => {
    const id = cellId(player, round);
    if (moments.has(id)) return;
    const kills = match.kills.filter((kill) => kill.attacker === player && kill.round === round);
    const label = `${kills.length} ${kills.length === 1 ? 'kill' : 'kills'} by ${nameOf(player)}, round ${round}`;
    const request = { demo_url, steam64_id: match.players[player]?.steam64_id ?? '', round };
    moments.set(id, { id, kind, label, kills, request });
  };
  for (const [index, { player, round, start_tick, end_tick, request, ...highlight }] of match.highlights.entries()) {
    const kind = highlight.kind.replaceAll('_', ' ');
    const isIn = ({ attacker, tick }: DemoKill) => attacker === player && tick >= start_tick && tick <= end_tick;
    const id = `h${index}`;
    const label = `${kind} by ${nameOf(player)}, round ${round}`;
    if (request.timeline) moments.set(id, { id, kind, label, kills: match.kills.filter(isIn), request });
    else addRound(player, round, kind);
  }
  for (const { attacker, round } of match.kills) addRound(attacker, round, null);
  return moments;
}

/** The id of a range of ticks that one player sees. */
export function rangeId({ player, from, to }: Readonly<Record<'player' | 'from' | 'to', number>>): string {
  return `t${player}.${from}-${to}`;
}

/** Returns the choice of a range by its id; null for any other id. */
export function choiceOfRange({ demo_url, match }: Demo, id: string): ClipChoice | null {
  const [player = -1, start_tick = 0, end_tick = 0] = /^t(\d+)\.(\d+)-(\d+)$/.exec(id)?.slice(1).map(Number) ?? [];
  const seen = match?.players[player];
  if (!match || !seen) return null;
  const kills = match.kills.filter(
    ({ attacker, tick }) => attacker === player && tick >= start_tick && tick < end_tick,
  );
  const label = `${clockOf(match, start_tick)} to ${clockOf(match, end_tick)}, seen by ${seen.name}`;
  const timeline = [{ steam64_id: seen.steam64_id, start_tick, end_tick }];
  return { id, kind: null, label, kills, request: { demo_url, timeline } };
}

/** Names the clip of a job. `moments`: those of the open demo. */
export function labelOf(payload: Job['payload'], moments: Iterable<ClipChoice>): string {
  const { demo_url, round } = payload;
  const wanted = momentOf(payload);
  for (const { label, request } of moments) if (momentOf(request) === wanted) return label;
  return `${round === undefined ? 'A clip' : `Round ${round}`} of ${fileOf(demo_url)}`;
}

/** Returns what a request shows, whatever its options are. */
function momentOf({ demo_url, steam64_id, round, timeline }: Job['payload'] | SubmitRequest): string {
  return JSON.stringify([demo_url, steam64_id, round, timeline?.map(({ speed: _, ...segment }) => segment)]);
}

/** Formats the time of a tick since the start of the match, as `12:05`. */
export function clockOf({ first_tick, tick_rate }: DemoMatch, tick: number): string {
  const seconds = Math.max(0, Math.floor((tick - first_tick) / tick_rate));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** `12:05 AK-47 headshot → Partridge`. */
export function killText(match: DemoMatch, { tick, weapon, headshot, victim }: DemoKill): string {
  const how = `${clockOf(match, tick)} ${weaponName(weapon)}${headshot ? ' headshot' : ''}`;
  return `${how} → ${match.players[victim]?.name ?? 'a player'}`;
}

/** The id of an upload of this service in its `demo_url`, which may choose a demo of an archive. */
export const UPLOAD_ID = /\/api\/uploads\/([\da-f-]{36})(?=#|$)/;

/** Names a demo by its address. */
export function fileOf(demoUrl: string): string {
  if (UPLOAD_ID.test(demoUrl)) return 'an uploaded demo';
  return (
    demoUrl
      .replace(/[?#].*/, '')
      .split('/')
      .at(-1) || demoUrl
  );
}

/** Returns the command line that submits an order, for a shell with the key in a variable. */
export function curlOf(order: SubmitRequest): string {
  const url = location.origin + href('POST /api/clips');
  const body = JSON.stringify(order).replaceAll("'", "'\\''");
  return `curl -X POST ${url} -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d '${body}'`;
}
