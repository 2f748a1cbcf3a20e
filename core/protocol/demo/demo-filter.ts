import * as z from 'zod';
import { lengthAllowed, MAX_SEGMENTS } from '../clip/submit.ts';
import { wholeNumber, yesOrNo } from '../lib/lists.ts';
import { type DemoMatch, MAX_NAME } from './demos.ts';
import { plannableDemo } from './plan.ts';
import { segmentsAround } from './segments-around.ts';

export type DemoPlayer = DemoMatch['players'][number];

/** Bots have an id of 0, or are marked. */
export const isPerson = ({ steam64_id, is_bot }: DemoPlayer): boolean => !is_bot && steam64_id !== '0';

/** Whether a clip can show a player: no bot, and no other than the one who recorded his own demo. */
export const canBeShown = ({ recorded_by }: DemoMatch, player: DemoPlayer): boolean =>
  isPerson(player) && (recorded_by === null || recorded_by === player.steam64_id);

const name = z.string().min(1, 'must not be empty').max(MAX_NAME, `must be at most ${MAX_NAME} characters`);
const round = wholeNumber.pipe(z.int().min(1, 'must be at least 1'));
const bestOf = wholeNumber.pipe(
  z.int().min(1, 'must be at least 1').max(MAX_SEGMENTS, `must be at most ${MAX_SEGMENTS}`),
);
const NUMBER = { type: 'integer' as const, minimum: 1 };

/** The query of an inspection: which kills and highlights to give, and whether to write a timeline of them. */
export const DemoFilter = z.strictObject({
  weapon: name.optional().describe('Keep only kills with this weapon, named as in `weapon` of a kill, such as `ak47`.'),
  headshot: yesOrNo.optional().describe('Keep only headshots (`true`), or only other kills (`false`).'),
  victim: z
    .string()
    .regex(/^\d{1,20}$/, 'must be a steam64_id')
    .optional()
    .describe('Keep only kills of the player with this `steam64_id`.'),
  round: round.optional().meta({ description: 'Keep only kills and highlights of this round.', override: NUMBER }),
  kind: name.optional().describe('Keep only highlights of this kind, such as `ace`, and their kills.'),
  team: z
    .enum(['T', 'CT'], 'must be T or CT')
    .optional()
    .describe('Keep only players who start on this side, as in `team` of a player.'),
  best_of: bestOf.optional().meta({
    description: 'Write one timeline of so many of these highlights, the best ones in the order of the match.',
    override: { ...NUMBER, maximum: MAX_SEGMENTS },
  }),
});
type DemoFilter = z.infer<typeof DemoFilter>;

type Highlight = DemoMatch['highlights'][number];
type Segment = NonNullable<Highlight['request']['timeline']>[number];

/** Returns an inspection with the kills and highlights that a filter leaves. Without a filter it stays as it is. */
export function filteredMatch(match: DemoMatch, { best_of, ...filter }: DemoFilter): DemoMatch {
  const { weapon, headshot, victim, round: inRound, kind, team } = filter;
  const { players } = match;
  const isOfTeam = (player: number) => team === undefined || players[player]?.team === team;
  const isInRound = (at: { readonly round: number }) => inRound === undefined || at.round === inRound;
  const isKind = ({ kinds }: Highlight) => kind === undefined || kinds.includes(kind);
  const asked = match.highlights.filter((one) => isOfTeam(one.player) && isInRound(one) && isKind(one));
  const kills = match.kills.filter(
    (kill) =>
      isOfTeam(kill.attacker) &&
      isInRound(kill) &&
      (weapon === undefined || kill.weapon === weapon) &&
      (headshot === undefined || kill.headshot === headshot) &&
      (victim === undefined || players[kill.victim]?.steam64_id === victim) &&
      (kind === undefined || asked.some((one) => isOf(kill, one))),
  );
  // These filters are about kills, so a highlight needs one that they leave.
  const isAboutKills = weapon !== undefined || headshot !== undefined || victim !== undefined;
  const highlights = isAboutKills ? asked.filter((one) => kills.some((kill) => isOf(kill, one))) : asked;
  const found = { ...match, kills, highlights };
  return best_of === undefined ? found : { ...found, best_of: timelineOf(found, best_of) };
}

function isOf(kill: DemoMatch['kills'][number], { player, round: inRound }: Highlight): boolean {
  return kill.attacker === player && kill.round === inRound;
}

/** Returns the body of a submit that shows the best highlights one after the other; null if there is none. */
function timelineOf(match: DemoMatch, count: number): DemoMatch['best_of'] {
  const timeline: Segment[] = [];
  let chosen = 0;
  for (const one of match.highlights) {
    const player = match.players[one.player];
    if (!player || !canBeShown(match, player)) continue;
    const segments = (one.request.timeline ?? segmentsOf(match, one, player)).filter(lengthAllowed);
    if (chosen === count || timeline.length + segments.length > MAX_SEGMENTS) break;
    timeline.push(...segments);
    chosen += 1;
  }
  const demo_url = match.highlights[0]?.request.demo_url;
  if (demo_url === undefined || timeline.length === 0) return null;
  return { demo_url, timeline: timeline.sort((a, b) => a.start_tick - b.start_tick) };
}

/** Returns the segments of the kills that the filter leaves, or of the whole highlight if it has none. */
function segmentsOf(match: DemoMatch, one: Highlight, { steam64_id }: DemoMatch['players'][number]): Segment[] {
  const kills = match.kills.filter((kill) => isOf(kill, one));
  const moments =
    kills.length > 0
      ? kills.map(({ tick }) => ({ startTick: tick, endTick: tick }))
      : [{ startTick: one.start_tick, endTick: one.end_tick }];
  return segmentsAround(plannableDemo(match), steam64_id, moments);
}
