import type { SKRSContext2D } from '@napi-rs/canvas';
import { FONT, font } from '../../fonts/fonts.ts';
import type { PlayerIndex, Team } from '../../match/match.ts';
import { clamp } from '../../overlay/ease.ts';
import { drawableName, fitText } from '../../overlay/text.ts';
import { COLOR, teamColor, withAlpha } from '../../overlay/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../../overlay/weapon-glyphs.ts';
import { weaponName } from '../../overlay/weapon-names.ts';
import type { Moment } from './moment.ts';

/** Length of a round in competitive play, and of the bomb's fuse, in seconds. */
const ROUND_SECONDS = 115;
const FUSE_SECONDS = 40;

/** What the game's HUD says: who is alive and the clock at the top, the point-of-view player's health and weapon at the bottom. */
export function paintHud(ctx: SKRSContext2D, moment: Moment): void {
  ctx.save();
  ctx.scale(moment.scale, moment.scale);
  const width = moment.options.width / moment.scale;
  paintScoreboard(ctx, moment, width / 2);
  paintPlayerPanel(ctx, moment, width / 2);
  ctx.restore();
}

function paintScoreboard(ctx: SKRSContext2D, moment: Moment, center: number): void {
  const clock = clockOf(moment);
  ctx.fillStyle = COLOR.panel;
  ctx.beginPath();
  ctx.roundRect(center - 78, 24, 156, 58, 10);
  ctx.fill();
  ctx.textAlign = 'center';
  ctx.textBaseline = 'alphabetic';
  ctx.font = font(FONT.display, 36);
  ctx.fillStyle = clock.urgent ? COLOR.danger : COLOR.ink;
  ctx.fillText(clock.text, center, 66);
  ctx.textAlign = 'left';
  paintTeam(ctx, moment, 'CT', center - 78 - 12, -1);
  paintTeam(ctx, moment, 'T', center + 78 + 12, 1);
}

/** A row of pips, one a player, the living ones bright, with their number next to the clock. */
function paintTeam(ctx: SKRSContext2D, moment: Moment, team: Team, x: number, direction: 1 | -1): void {
  const members = moment.players.filter((state) => state?.team === team);
  const alive = members.filter((state) => state?.alive === true).length;
  const width = 62 + Math.min(members.length, 8) * 22;
  ctx.fillStyle = COLOR.panel;
  ctx.beginPath();
  ctx.roundRect(direction === 1 ? x : x - width, 24, width, 58, 10);
  ctx.fill();
  ctx.font = font(FONT.display, 34);
  ctx.textAlign = 'center';
  ctx.fillStyle = teamColor(team);
  ctx.fillText(`${alive}`, x + direction * 30, 65);
  ctx.textAlign = 'left';
  for (let i = 0; i < Math.min(members.length, 8); i++) {
    const at = x + direction * (64 + i * 22);
    ctx.beginPath();
    if (team === 'CT') ctx.arc(at, 53, 7, 0, Math.PI * 2);
    else {
      ctx.moveTo(at + 8.5, 53);
      ctx.lineTo(at, 61.5);
      ctx.lineTo(at - 8.5, 53);
      ctx.lineTo(at, 44.5);
      ctx.closePath();
    }
    ctx.fillStyle = i < alive ? teamColor(team) : withAlpha(COLOR.faint, 0.6);
    ctx.fill();
  }
}

function clockOf({ match, shot, tick }: Moment): { readonly text: string; readonly urgent: boolean } {
  const bomb = match.effects.find(
    ({ kind, startTick, endTick }) => kind === 'bomb' && startTick <= tick && tick < endTick,
  );
  if (bomb !== undefined) {
    return { text: clockText(FUSE_SECONDS - (tick - bomb.startTick) / match.tickRate), urgent: true };
  }
  const round = match.rounds.find(({ number }) => number === shot.round);
  const start = round?.freezeEndTick ?? null;
  if (start === null) return { text: '–:––', urgent: false };
  const left = ROUND_SECONDS - (Math.min(tick, round?.endTick ?? tick) - start) / match.tickRate;
  return { text: clockText(Math.min(left, ROUND_SECONDS)), urgent: left <= 10 };
}

function clockText(seconds: number): string {
  const whole = Math.max(Math.ceil(seconds), 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

function paintPlayerPanel(ctx: SKRSContext2D, moment: Moment, center: number): void {
  const state = moment.players[moment.shot.pov];
  if (state === null || state === undefined) return;
  const bottom = moment.options.height / moment.scale - 40;
  const health = state.alive ? clamp(state.health, 0, 100) : 0;
  const weapon = weaponOf(moment, moment.shot.pov);
  const width = 560;
  const left = center - width / 2;
  ctx.fillStyle = COLOR.panel;
  ctx.beginPath();
  ctx.roundRect(left, bottom - 92, width, 92, 12);
  ctx.fill();
  const low = health <= 30;
  ctx.textBaseline = 'alphabetic';
  ctx.font = font(FONT.display, 44);
  ctx.fillStyle = low ? COLOR.danger : COLOR.ink;
  ctx.textAlign = 'right';
  ctx.fillText(`${health}`, left + 102, bottom - 30);
  ctx.textAlign = 'left';
  ctx.font = font(FONT.text, 24);
  ctx.fillStyle = COLOR.ink;
  const name = drawableName(moment.match.players[moment.shot.pov]?.name ?? '');
  ctx.fillText(fitText(ctx, name, 190), left + 124, bottom - 50);
  ctx.fillStyle = withAlpha(COLOR.ink, 0.16);
  bar(ctx, left + 124, bottom - 36, 190);
  ctx.fillStyle = low ? COLOR.danger : teamColor(state.team);
  if (health > 0) bar(ctx, left + 124, bottom - 36, (190 * health) / 100);
  if (weapon === null) return;
  const glyph = 34;
  const right = left + width - 26;
  ctx.fillStyle = COLOR.ink;
  drawWeaponGlyph(ctx, weapon, right - weaponGlyphWidth(weapon, glyph), bottom - 82, glyph);
  ctx.font = font(FONT.text, 22);
  ctx.fillStyle = COLOR.muted;
  ctx.textAlign = 'right';
  ctx.fillText(fitText(ctx, weaponName(weapon), 190), right, bottom - 20);
  ctx.textAlign = 'left';
}

function bar(ctx: SKRSContext2D, x: number, y: number, width: number): void {
  ctx.beginPath();
  ctx.roundRect(x, y, Math.max(width, 8), 10, 5);
  ctx.fill();
}

/** The weapon in hand as far as a demo's events tell: the last one he fired, or the next one he is going to fire. */
function weaponOf({ match, tick }: Moment, player: PlayerIndex): string | null {
  const fires = match.weaponFires.filter((fire) => fire.player === player);
  return (fires.findLast((fire) => fire.tick <= tick) ?? fires[0])?.weapon ?? null;
}
