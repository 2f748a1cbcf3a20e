import { secondAt } from '#domain/clip/plan/shot-time.ts';
import { type Canvas, type Context2D, createCanvas, type Gradient } from '../drawing/canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import type { Layout } from '../drawing/layout.ts';
import { beginPolygon, COLOR, easeOut, fading, kept, pulse, teamColor, teamText, withAlpha } from '../drawing/theme.ts';
import type { ClipClock } from '../frames/clip-clock.ts';
import type { Round, SceneMatch, Team } from '../match/match.ts';
import type { Shot } from '../plan/shot.ts';

/** The game's announcements. */
const TITLES: Readonly<Record<Team, string>> = { CT: 'COUNTER-TERRORISTS WIN', T: 'TERRORISTS WIN' };

/** Sizes at scale 1: below the scoreboard if there is one, and left of the killfeed. */
const BOX = { width: 900, height: 132, top: 40, belowHud: 100 };
const FADE = { in: 0.3, out: 0.4 };
/** The wait after the kill that decided the round, in the clip's seconds like all of these. */
const DELAY_SECONDS = 0.5;
/** A shorter banner would only flicker at a cut. */
const SHORTEST_SECONDS = 0.8;

/** The banner of a shot, between two of its seconds. */
interface Announcement {
  readonly round: Round;
  readonly winner: Team;
  readonly from: number;
  readonly to: number;
}

/**
 * Creates a function that paints the winner of a round from its end to the end of the shot, for shots that continue
 * after the end of a round, which is why they do (docs/contract.md 4.1). It is shown whatever
 * `cl_draw_only_deathnotices` is, like titles: otherwise such a shot would end in seconds of nothing.
 */
export function createRoundBanner(
  match: SceneMatch,
  shots: readonly Shot[],
  { scale, safe, isWide }: Layout,
  hasHud: boolean,
): (ctx: Context2D, shotIndex: number, tick: number) => void {
  const byShot = shots.map((shot) => announcementsIn(match, shot));
  const banners = new Map<Round, Canvas>();
  const size = Math.min(scale, safe.width / BOX.width);
  const top = (hasHud ? BOX.belowHud : BOX.top) * scale;
  // At the bottom of the safe area: the killfeed is at its top and may be as wide.
  const place = isWide ? top : safe.y + safe.height - BOX.height * size;
  return (ctx, shotIndex, tick) => {
    const shot = shots[shotIndex];
    const second = shot === undefined ? 0 : secondAt(shot, tick, match.tickRate);
    const shown = byShot[shotIndex]?.find(({ from, to }) => from <= second && second < to);
    if (shown === undefined) return;
    const banner = kept(banners, shown.round, () => paintBanner(shown, size));
    const since = second - shown.from;
    ctx.globalAlpha = pulse(since, shown.to - shown.from, FADE.in, FADE.out);
    const drop = (1 - easeOut(since / 0.45)) * 22 * scale;
    ctx.drawImage(banner, Math.round(safe.x + (safe.width - banner.width) / 2), Math.round(place - drop));
  };
}

function announcementsIn({ rounds, tickRate }: SceneMatch, shot: Shot): Announcement[] {
  return rounds.flatMap((round, at): Announcement[] => {
    const { winner } = round;
    if (winner === null || round.endTick === null) return [];
    const over = round.officialEndTick ?? rounds[at + 1]?.startTick ?? shot.endTick;
    const from = secondAt(shot, round.endTick, tickRate) + DELAY_SECONDS;
    const to = secondAt(shot, Math.min(over, shot.endTick), tickRate);
    return to - Math.max(from, 0) < SHORTEST_SECONDS ? [] : [{ round, winner, from, to }];
  });
}

function paintBanner({ round, winner }: Announcement, scale: number) {
  const canvas = createCanvas(Math.ceil(BOX.width * scale), Math.ceil(BOX.height * scale));
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  const center = BOX.width / 2;
  ctx.fillStyle = across(ctx, COLOR.background, 0.94);
  ctx.fillRect(0, 0, BOX.width, BOX.height);
  ctx.fillStyle = across(ctx, teamColor(winner), 0.26);
  ctx.fillRect(0, 0, BOX.width, BOX.height);
  ctx.fillStyle = across(ctx, teamColor(winner), 1);
  ctx.fillRect(0, 0, BOX.width, 4);
  ctx.textBaseline = 'alphabetic';
  ctx.textAlign = 'center';
  ctx.font = font(FONT.display, 50);
  ctx.letterSpacing = '2px';
  ctx.fillStyle = COLOR.ink;
  ctx.fillText(TITLES[winner], center, 66);
  ctx.letterSpacing = '0px';
  paintCaption(ctx, round, center);
  return canvas;
}

/** Paints `Round 2   CT 1 – 1 T`, each side in its colour, in the order of the scoreboard; or only the round. */
function paintCaption(ctx: Context2D, { number, score }: Round, center: number): void {
  ctx.font = font(FONT.text, 27);
  const sides = score && [
    { text: 'CT', color: teamText('CT'), gap: 10 },
    { text: `${score.CT}`, color: COLOR.ink, gap: 10 },
    { text: '–', color: COLOR.muted, gap: 10 },
    { text: `${score.T}`, color: COLOR.ink, gap: 10 },
    { text: 'T', color: teamText('T'), gap: 0 },
  ];
  const parts = [{ text: `Round ${number}`, color: COLOR.soft, gap: score === null ? 0 : 30 }, ...(sides ?? [])];
  const widths = parts.map(({ text, gap }) => ctx.measureText(text).width + gap);
  let x = center - widths.reduce((sum, width) => sum + width, 0) / 2;
  ctx.textAlign = 'left';
  for (const [i, { text, color }] of parts.entries()) {
    ctx.fillStyle = color;
    ctx.fillText(text, x, 108);
    x += widths[i] ?? 0;
  }
}

/** Returns a gradient that is full in the middle and transparent at both edges. */
function across(ctx: Context2D, color: string, alpha: number): Gradient {
  return fading(ctx.createLinearGradient(0, 0, BOX.width, 0), color, [0, 0], [0.3, alpha], [0.7, alpha], [1, 0]);
}

/**
 * Creates a function that paints a thin line along the lower edge that shows the position in the clip, its cuts, and a
 * point for each kill.
 */
export function createProgressLine(
  shots: readonly Shot[],
  clock: ClipClock,
  { width, height, scale }: { readonly width: number; readonly height: number; readonly scale: number },
): (ctx: Context2D, frame: number) => void {
  const span = Math.max(clock.frameCount - 1, 1);
  const kills = shots.flatMap((shot, index) => shot.kills.map(({ tick }) => clock.frameOf(index, tick)));
  const thickness = Math.max(Math.round(5 * scale), 2);
  const top = height - thickness;
  const ahead = paintPoint(COLOR.faint, scale);
  const done = paintPoint(COLOR.danger, scale);
  const half = ahead.width / 2;
  return (ctx, frame) => {
    ctx.fillStyle = withAlpha(COLOR.ink, 0.13);
    ctx.fillRect(0, top, width, thickness);
    ctx.fillStyle = COLOR.ink;
    ctx.fillRect(0, top, (frame / span) * width, thickness);
    ctx.fillStyle = COLOR.background;
    for (const start of clock.shotStarts.slice(1)) {
      ctx.fillRect(Math.round((start / span) * width - scale), top, Math.ceil(3 * scale), thickness);
    }
    for (const kill of kills) {
      const x = Math.min(Math.max((kill / span) * width, 1.5 * half), width - 1.5 * half);
      ctx.drawImage(frame >= kill ? done : ahead, Math.round(x - half), Math.round(top - 2 * scale - half));
    }
  };
}

/** Paints the diamond of a kill. */
function paintPoint(color: string, scale: number): Canvas {
  const size = 6.5 * scale;
  const canvas = createCanvas(Math.ceil(18 * scale), Math.ceil(18 * scale));
  const ctx = canvas.getContext('2d');
  ctx.translate(canvas.width / 2, canvas.height / 2);
  beginPolygon(ctx, [0, -size], [size, 0], [0, size], [-size, 0]);
  ctx.strokeStyle = COLOR.background;
  ctx.lineWidth = 2.5 * scale;
  ctx.stroke();
  ctx.fillStyle = color;
  ctx.fill();
  return canvas;
}
