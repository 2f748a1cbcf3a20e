import type { SKRSContext2D } from '@napi-rs/canvas';
import { FONT, font } from '../../../drawing/fonts/fonts.ts';
import { drawableName, fitText } from '../../../drawing/text.ts';
import { COLOR, teamColor, withAlpha } from '../../../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../../../drawing/weapon-glyphs.ts';
import type { PlayerIndex, Team } from '../../../match/match.ts';
import { outfitAt } from '../../../match/outfit-at.ts';
import type { Moment } from './moment.ts';
import { createPlate, panelBox } from './plate.ts';

/**
 * Sizes at scale 1: a player's row, and the distance of the lists from the sides and from the middle of the picture.
 */
const ROW = { width: 348, height: 68, gap: 6 };
const MARGIN = 24;
/** The lists' middle, as a part of the picture's height. */
const MIDDLE = 0.485;
const MOST_ROWS = 6;
const GRENADE = /grenade|flashbang|molotov|decoy/;
const PRIMARY = /^(?!knife|c4)/;

interface Row {
  readonly player: PlayerIndex;
  readonly name: string;
  readonly isPov: boolean;
  readonly health: number;
  readonly armor: number;
  readonly helmet: boolean;
  readonly kit: boolean;
  readonly bomb: boolean;
  readonly weapon: string | null;
  readonly grenades: readonly string[];
  /** Null if the recording lacks it. */
  readonly money: number | null;
}

export interface TeamLists {
  paint(ctx: SKRSContext2D, moment: Moment): void;
}

/** Paints both teams, CT at the left and T at the right: each player's health, armour, weapon, grenades and money. */
export function createTeamLists(scale: number): TeamLists {
  const height = (ROW.height + ROW.gap) * MOST_ROWS;
  const plates = {
    CT: createPlate(ROW.width * scale, height * scale, scale),
    T: createPlate(ROW.width * scale, height * scale, scale),
  };
  return {
    paint(ctx, moment) {
      for (const team of ['CT', 'T'] as const) {
        const rows = rowsOf(moment, team);
        const list = plates[team](JSON.stringify(rows), (plate) => {
          for (const [at, row] of rows.entries()) paintRow(plate, row, team, at * (ROW.height + ROW.gap));
        });
        const { width, height: tall } = moment.options;
        const left = team === 'CT' ? MARGIN * scale : width - (MARGIN + ROW.width) * scale;
        ctx.drawImage(
          list,
          Math.round(left),
          Math.round(tall * MIDDLE - ((ROW.height + ROW.gap) * rows.length * scale) / 2),
        );
      }
    },
  };
}

function rowsOf({ match, players, shot, tick }: Moment, team: Team): Row[] {
  const members = [...players.entries()].filter(([, state]) => state?.team === team).slice(0, MOST_ROWS);
  return members.map(([player, state]) => {
    const outfit = outfitAt(match, player, tick);
    const alive = state?.alive === true;
    return {
      player,
      name: drawableName(match.players[player]?.name ?? ''),
      isPov: player === shot.pov,
      health: alive ? state.health : 0,
      armor: outfit?.armor ?? 0,
      helmet: outfit?.helmet ?? false,
      kit: outfit?.kit ?? false,
      bomb: outfit?.items.includes('c4') ?? false,
      weapon: outfit?.weapon ?? outfit?.items.find((item) => PRIMARY.test(item) && !GRENADE.test(item)) ?? null,
      grenades: outfit?.items.filter((item) => GRENADE.test(item)) ?? [],
      money: outfit?.money ?? null,
    };
  });
}

/** The point-of-view player's row is the brightest. A dead player's row is only the name. */
function paintRow(ctx: SKRSContext2D, row: Row, team: Team, y: number): void {
  const color = teamColor(team);
  const alive = row.health > 0;
  panelBox(ctx, 0, ROW.width, ROW.height, y);
  ctx.globalAlpha = alive ? 1 : 0.5;
  if (row.isPov) {
    ctx.strokeStyle = COLOR.ink;
    ctx.lineWidth = 3;
    ctx.stroke();
  }
  ctx.fillStyle = color;
  ctx.fillRect(10, y + 12, 5, ROW.height - 24);
  ctx.textAlign = 'left';
  ctx.font = font(row.isPov ? FONT.display : FONT.text, 26, row.name);
  ctx.fillStyle = row.isPov ? COLOR.ink : '#d5dee6';
  ctx.fillText(fitText(ctx, row.name, 200), 26, y + 29);
  ctx.textAlign = 'right';
  const right = ROW.width - 14;
  ctx.font = font(FONT.display, 29);
  ctx.fillStyle = row.health <= 30 ? COLOR.danger : COLOR.ink;
  if (alive) ctx.fillText(`${row.health}`, right, y + 31);
  if (alive) paintLife(ctx, row, color, y);
  if (alive) paintItems(ctx, row, y);
  ctx.textAlign = 'left';
  ctx.globalAlpha = 1;
}

/** Paints health as a line along the foot of the row, and armour as a shield next to the number, full with a helmet. */
function paintLife(ctx: SKRSContext2D, { health, armor, helmet }: Row, color: string, y: number): void {
  ctx.fillStyle = withAlpha(COLOR.ink, 0.14);
  ctx.fillRect(26, y + ROW.height - 9, ROW.width - 40, 4);
  ctx.fillStyle = health <= 30 ? COLOR.danger : color;
  ctx.fillRect(26, y + ROW.height - 9, ((ROW.width - 40) * health) / 100, 4);
  if (armor === 0) return;
  const x = ROW.width - 92;
  ctx.beginPath();
  ctx.moveTo(x, y + 12);
  ctx.lineTo(x + 16, y + 12);
  ctx.lineTo(x + 16, y + 22);
  ctx.quadraticCurveTo(x + 15, y + 29, x + 8, y + 32);
  ctx.quadraticCurveTo(x + 1, y + 29, x, y + 22);
  ctx.closePath();
  ctx.lineWidth = 2.4;
  ctx.strokeStyle = withAlpha(COLOR.ink, 0.85);
  ctx.fillStyle = withAlpha(COLOR.ink, 0.85);
  if (helmet) ctx.fill();
  ctx.stroke();
}

function paintItems(ctx: SKRSContext2D, row: Row, y: number): void {
  const top = y + 37;
  let x = 26;
  const put = (item: string, height: number, color: string): void => {
    ctx.fillStyle = color;
    drawWeaponGlyph(ctx, item, x, top + (20 - height) / 2, height);
    x += weaponGlyphWidth(item, height) + 8;
  };
  if (row.weapon !== null) put(row.weapon, 22, COLOR.ink);
  for (const grenade of row.grenades) put(grenade, 20, '#d3dce5');
  if (row.bomb) put('c4', 17, COLOR.accent);
  if (row.kit) put('defuser', 18, '#8cf5b8');
  if (row.money === null) return;
  ctx.font = font(FONT.text, 22);
  ctx.fillStyle = '#a9d7b4';
  ctx.fillText(`$${row.money}`, ROW.width - 14, y + 54);
}
