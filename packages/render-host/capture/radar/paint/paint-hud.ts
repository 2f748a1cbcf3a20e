import type { SKRSContext2D } from '@napi-rs/canvas';
import { FONT, font } from '../../../drawing/fonts/fonts.ts';
import { drawableName, fitText } from '../../../drawing/text.ts';
import { COLOR, teamColor, withAlpha } from '../../../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../../../drawing/weapon-glyphs.ts';
import { weaponName } from '../../../drawing/weapon-names.ts';
import { BOMB_FUSE_SECONDS, ROUND_SECONDS } from '../../../match/game-rules.ts';
import type { Match, Team, WeaponFire } from '../../../match/match.ts';
import { outfitAt } from '../../../match/outfit-at.ts';
import type { Moment } from './moment.ts';
import { createTeamLists } from './paint-teams.ts';
import { createPlate, panelBox } from './plate.ts';

/** Sizes at scale 1: the row with both teams and the clock, and the panel of the point-of-view player. */
const SCOREBOARD = { width: 860, height: 58, top: 24, clock: 156, gap: 12 };
const PANEL = { width: 560, height: 92, bottom: 40 };
const MAX_PIPS = 8;
const SCORE_WIDTH = 66;

export interface Hud {
  paint(ctx: SKRSContext2D, moment: Moment): void;
}

/**
 * Paints what the game's HUD shows: the living players and the clock at the top, the point-of-view player's health and
 * weapon at the bottom. It changes a few times a second at most, so it is painted at each change and copied into each
 * frame.
 */
export function createHud({ weaponFires }: Pick<Match, 'weaponFires'>, scale: number): Hud {
  const firesBy = Map.groupBy(weaponFires, ({ player }) => player);
  const scoreboard = createPlate(SCOREBOARD.width * scale, SCOREBOARD.height * scale, scale);
  const lists = createTeamLists(scale);
  const panel = createPlate(PANEL.width * scale, PANEL.height * scale, scale);
  return {
    paint(ctx, moment) {
      const { width, height } = moment.options;
      const teams = { CT: countOf(moment, 'CT'), T: countOf(moment, 'T') };
      const clock = clockOf(moment);
      const top = scoreboard(JSON.stringify([teams, clock]), (plate) => paintScoreboard(plate, teams, clock));
      ctx.drawImage(top, Math.round((width - top.width) / 2), Math.round(SCOREBOARD.top * scale));
      lists.paint(ctx, moment);
      const facts = playerFacts(moment, firesBy.get(moment.shot.pov) ?? []);
      if (facts === null) return;
      const low = panel(JSON.stringify(facts), (plate) => paintPanel(plate, facts));
      ctx.drawImage(
        low,
        Math.round((width - low.width) / 2),
        Math.round(height - (PANEL.height + PANEL.bottom) * scale),
      );
    },
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

function paintScoreboard(ctx: SKRSContext2D, teams: Record<Team, TeamCount>, clock: Clock | null): void {
  const center = SCOREBOARD.width / 2;
  ctx.textAlign = 'center';
  if (clock !== null) paintClock(ctx, clock, center);
  const away = SCOREBOARD.clock / 2 + SCOREBOARD.gap;
  paintTeam(ctx, 'CT', teams.CT, center - away, -1);
  paintTeam(ctx, 'T', teams.T, center + away, 1);
}

/** Paints the time left, with the bomb next to it while it ticks, or the outcome of the bomb. */
function paintClock(ctx: SKRSContext2D, { text, tone, bomb }: Clock, center: number): void {
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
  ctx: SKRSContext2D,
  team: Team,
  { score, alive, members }: TeamCount,
  x: number,
  direction: 1 | -1,
): void {
  const pips = Math.min(members, MAX_PIPS);
  const width = 62 + pips * 22;
  panelBox(ctx, direction === 1 ? x : x - width, width, SCOREBOARD.height);
  ctx.font = font(FONT.display, 34);
  ctx.fillStyle = teamColor(team);
  ctx.fillText(`${alive}`, x + direction * 30, 41);
  if (score !== null) {
    const box = direction === 1 ? x + width + SCOREBOARD.gap : x - width - SCOREBOARD.gap - SCORE_WIDTH;
    panelBox(ctx, box, SCORE_WIDTH, SCOREBOARD.height);
    ctx.fillStyle = COLOR.ink;
    ctx.fillText(`${score}`, box + SCORE_WIDTH / 2, 41);
  }
  for (let i = 0; i < pips; i++) {
    const at = x + direction * (64 + i * 22);
    ctx.beginPath();
    if (team === 'CT') ctx.arc(at, 29, 7, 0, Math.PI * 2);
    else {
      ctx.moveTo(at + 8.5, 29);
      ctx.lineTo(at, 37.5);
      ctx.lineTo(at - 8.5, 29);
      ctx.lineTo(at, 20.5);
      ctx.closePath();
    }
    ctx.fillStyle = i < alive ? teamColor(team) : withAlpha(COLOR.faint, 0.6);
    ctx.fill();
  }
}

interface PlayerFacts {
  readonly name: string;
  readonly team: Team | null;
  readonly health: number;
  readonly weapon: string | null;
}

function playerFacts(moment: Moment, fires: readonly WeaponFire[]): PlayerFacts | null {
  const state = moment.players[moment.shot.pov];
  if (state === null || state === undefined) return null;
  const name = drawableName(moment.match.players[moment.shot.pov]?.name ?? '');
  const outfit = outfitAt(moment.match, moment.shot.pov, moment.tick);
  const weapon = outfit?.weapon ?? weaponAt(fires, moment.tick);
  return { name, team: state.team, health: state.alive ? state.health : 0, weapon };
}

function paintPanel(ctx: SKRSContext2D, { name, team, health, weapon }: PlayerFacts): void {
  panelBox(ctx, 0, PANEL.width, PANEL.height);
  const low = health <= 30;
  ctx.font = font(FONT.display, 44);
  ctx.fillStyle = low ? COLOR.danger : COLOR.ink;
  ctx.textAlign = 'right';
  ctx.fillText(`${health}`, 104, 62);
  ctx.textAlign = 'left';
  ctx.font = font(FONT.text, 25, name);
  ctx.fillStyle = COLOR.ink;
  ctx.fillText(fitText(ctx, name, 210), 126, 41);
  ctx.fillStyle = withAlpha(COLOR.ink, 0.16);
  bar(ctx, 126, 56, 210);
  ctx.fillStyle = low ? COLOR.danger : teamColor(team);
  if (health > 0) bar(ctx, 126, 56, (210 * health) / 100);
  if (weapon === null) return;
  const glyph = 34;
  const right = PANEL.width - 26;
  ctx.fillStyle = COLOR.ink;
  drawWeaponGlyph(ctx, weapon, right - weaponGlyphWidth(weapon, glyph), 12, glyph);
  ctx.font = font(FONT.text, 23);
  ctx.fillStyle = COLOR.muted;
  ctx.textAlign = 'right';
  ctx.fillText(fitText(ctx, weaponName(weapon), 170), right, 73);
  ctx.textAlign = 'left';
}

const TONES = { plain: COLOR.ink, urgent: COLOR.danger, saved: '#8cf5b8' } as const;

interface Clock {
  readonly text: string;
  readonly tone: keyof typeof TONES;
  /** Whether the time is the bomb's. */
  readonly bomb: boolean;
}

/** Returns null if the recording lacks the start of the round. */
function clockOf({ match, round, tick }: Moment): Clock | null {
  const bomb = match.effects.find(
    ({ kind, startTick, endTick }) => kind === 'bomb' && startTick <= tick && tick < endTick,
  );
  if (bomb !== undefined) {
    const left = BOMB_FUSE_SECONDS - (tick - bomb.startTick) / match.tickRate;
    return { text: clockText(left), tone: 'urgent', bomb: true };
  }
  const end = match.bombActions.findLast(
    ({ kind, tick: at }) => at <= tick && at >= (round?.startTick ?? 0) && (kind === 'defused' || kind === 'exploded'),
  );
  if (end?.kind === 'defused') return { text: 'DEFUSED', tone: 'saved', bomb: false };
  if (end?.kind === 'exploded') return { text: 'EXPLODED', tone: 'urgent', bomb: false };
  const start = round?.freezeEndTick ?? null;
  if (start === null) return null;
  const left = ROUND_SECONDS - (Math.min(tick, round?.endTick ?? tick) - start) / match.tickRate;
  const text = clockText(Math.min(left, ROUND_SECONDS));
  return { text, tone: left <= 10 ? 'urgent' : 'plain', bomb: false };
}

function clockText(seconds: number): string {
  const whole = Math.max(Math.ceil(seconds), 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

function bar(ctx: SKRSContext2D, x: number, y: number, width: number): void {
  ctx.beginPath();
  ctx.roundRect(x, y, Math.max(width, 8), 10, 5);
  ctx.fill();
}

/** Returns the weapon in hand by the demo's events: the last one that the player fired, or the next one. */
function weaponAt(fires: readonly WeaponFire[], tick: number): string | null {
  return (fires.findLast((fire) => fire.tick <= tick) ?? fires[0])?.weapon ?? null;
}
