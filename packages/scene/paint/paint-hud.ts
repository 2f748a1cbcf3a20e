import type { Context2D } from '../drawing/canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { beginPolygon, COLOR, fillDisc, panelBox, teamColor, withAlpha } from '../drawing/theme.ts';
import { drawWeaponGlyph } from '../drawing/weapon-glyphs.ts';
import { fuseOf, type SceneMatch, type Team } from '../match/match.ts';
import type { Moment } from './moment.ts';
import { createPlayerPanels } from './paint-teams.ts';
import { createPlate, MOST_PIPS, panelOpacity, SCOREBOARD, scoreboardBox } from './panels.ts';

/** Paints what the game's HUD shows: the living players and the clock at the top, and a panel for each player. */
export function createHud(match: SceneMatch, scale: number): (ctx: Context2D, moment: Moment) => void {
  const scoreboard = createPlate(SCOREBOARD.width * scale, SCOREBOARD.height * scale, scale);
  const paintPanels = createPlayerPanels(match);
  return (ctx, moment) => {
    const { players, options } = moment;
    const teams = { CT: countOf(moment, 'CT'), T: countOf(moment, 'T') };
    const clock = clockOf(moment);
    const top = scoreboard(JSON.stringify([teams, clock]), (plate) => paintScoreboard(plate, teams, clock));
    const box = scoreboardBox(players, options);
    ctx.globalAlpha = panelOpacity(moment, box);
    ctx.drawImage(top, Math.round((options.width - top.width) / 2), box.y);
    paintPanels(ctx, moment);
  };
}

interface TeamCount {
  /** Rounds won before this one; null if the recording lacks the score. */
  readonly score: number | null;
  readonly alive: number;
  readonly members: number;
}

function countOf({ players, round }: Moment, team: Team): TeamCount {
  const score = round?.score == null ? null : round.score[team] - (round.winner === team ? 1 : 0);
  const members = players.filter((state) => state?.team === team);
  return { score, alive: members.filter((state) => state?.alive === true).length, members: members.length };
}

function paintScoreboard(ctx: Context2D, teams: Record<Team, TeamCount>, clock: Clock | null): void {
  const center = SCOREBOARD.width / 2;
  ctx.textAlign = 'center';
  if (clock !== null) paintClock(ctx, clock, center);
  const away = clock === null ? SCOREBOARD.gap / 2 : SCOREBOARD.clock / 2 + SCOREBOARD.gap;
  paintTeam(ctx, 'CT', teams.CT, center - away, -1);
  paintTeam(ctx, 'T', teams.T, center + away, 1);
}

/** Paints the time left, with the bomb next to it while it ticks, or the outcome of the bomb. */
function paintClock(ctx: Context2D, { text, tone, bomb }: Clock, center: number): void {
  const size = text.length > 5 ? 24 : 36;
  panelBox(ctx, center - SCOREBOARD.clock / 2, SCOREBOARD.clock, SCOREBOARD.height);
  ctx.font = font(FONT.display, size);
  ctx.fillStyle = TONES[tone];
  ctx.fillText(text, bomb ? center + 21 : center, 29 + size * 0.36);
  if (bomb) drawWeaponGlyph(ctx, 'c4', center - 62, 17, 25);
}

/**
 * Paints the number of a team's living players next to the clock, a pip for each player, bright for the living, and the
 * rounds that the team has won.
 */
function paintTeam(
  ctx: Context2D,
  team: Team,
  { score, alive, members }: TeamCount,
  x: number,
  direction: 1 | -1,
): void {
  const pips = Math.min(members, MOST_PIPS);
  const width = SCOREBOARD.team + pips * SCOREBOARD.pip;
  panelBox(ctx, direction === 1 ? x : x - width, width, SCOREBOARD.height);
  ctx.font = font(FONT.display, 34);
  ctx.fillStyle = teamColor(team);
  ctx.fillText(`${alive}`, x + direction * 30, 41);
  if (score !== null) {
    const box = direction === 1 ? x + width + SCOREBOARD.gap : x - width - SCOREBOARD.gap - SCOREBOARD.score;
    panelBox(ctx, box, SCOREBOARD.score, SCOREBOARD.height);
    ctx.fillStyle = COLOR.ink;
    ctx.fillText(`${score}`, box + SCOREBOARD.score / 2, 41);
  }
  for (let i = 0; i < pips; i++) {
    const at = x + direction * (64 + i * SCOREBOARD.pip);
    ctx.fillStyle = i < alive ? teamColor(team) : withAlpha(COLOR.faint, 0.6);
    if (team === 'CT') fillDisc(ctx, { x: at, y: 29 }, 7);
    else {
      beginPolygon(ctx, [at + 8.5, 29], [at, 37.5], [at - 8.5, 29], [at, 20.5]);
      ctx.fill();
    }
  }
}

const TONES = { plain: COLOR.ink, urgent: COLOR.danger, saved: COLOR.good } as const;

interface Clock {
  readonly text: string;
  readonly tone: keyof typeof TONES;
  /** Whether the time is the bomb's. */
  readonly bomb: boolean;
}

/** Returns null if the recording lacks the round's start or length. Before the start, the rest of the freeze time. */
function clockOf({ match, round, tick }: Moment): Clock | null {
  const bomb = match.effects.find(
    ({ kind, startTick, endTick }) => kind === 'bomb' && startTick <= tick && tick < endTick,
  );
  if (bomb !== undefined) {
    const left = fuseOf(bomb) - (tick - bomb.startTick) / match.tickRate;
    return { text: clockText(left), tone: 'urgent', bomb: true };
  }
  const end = match.bombActions.findLast(
    ({ kind, tick: at }) => at <= tick && at >= (round?.startTick ?? 0) && (kind === 'defused' || kind === 'exploded'),
  );
  if (end?.kind === 'defused') return { text: 'DEFUSED', tone: 'saved', bomb: false };
  if (end?.kind === 'exploded') return { text: 'EXPLODED', tone: 'urgent', bomb: false };
  const timed = match.clocks.findLast(({ tick: since }) => since <= tick);
  const start = round?.freezeEndTick ?? timed?.startTick ?? null;
  if (round === null || timed === undefined || start === null) return null;
  const since = (Math.min(tick, round.endTick ?? tick) - start) / match.tickRate;
  const left = since < 0 ? -since : timed.seconds - since;
  return { text: clockText(left), tone: since >= 0 && left <= 10 ? 'urgent' : 'plain', bomb: false };
}

function clockText(seconds: number): string {
  const whole = Math.max(Math.ceil(seconds), 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
