import type { Context2D } from '../drawing/canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { drawableName, fitText } from '../drawing/text.ts';
import { COLOR, kept, panelBox, teamColor, withAlpha } from '../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../drawing/weapon-glyphs.ts';
import type { Crosshair, Outfit, PlayerIndex, SceneMatch, Team, WeaponFire } from '../match/match.ts';
import { outfitAt } from '../match/player-state.ts';
import type { Moment } from './moment.ts';
import { paintCrosshair } from './paint-players.ts';
import { createPlate, PANEL, type Plate, panelOpacity, playerPanels } from './panels.ts';

const GRENADE = /grenade|flashbang|molotov|decoy/;
/** The place of the crosshair in a panel: between the name and the armour. */
const CROSSHAIR = { x: 234, y: 22, reach: 17 };
const PRIMARY = /^(?!knife|c4)/;

interface Row extends Pick<Outfit, 'armor' | 'helmet' | 'kit' | 'money' | 'weapon'> {
  readonly name: string;
  readonly team: Team | null;
  readonly isPov: boolean;
  /** Of the point-of-view player, if the recording has it. */
  readonly crosshair: Crosshair | null;
  readonly health: number;
  readonly bomb: boolean;
  readonly grenades: readonly string[];
  /** Rounds of the point-of-view player's weapon, as `27 / 90`; null for none. */
  readonly rounds: string | null;
}

/**
 * Paints a panel for each player: health, armour, weapon, grenades and money. A panel changes a few times a second at
 * most, so it is painted at each change and copied into each frame.
 */
export function createPlayerPanels({ weaponFires }: SceneMatch): (ctx: Context2D, moment: Moment) => void {
  const firesBy = Map.groupBy(weaponFires, ({ player }) => player);
  const plates = new Map<string, Plate>();
  return (ctx, moment) => {
    const { players, shot, options } = moment;
    for (const box of playerPanels(players, shot.pov, options)) {
      const { player, x, y, width, height } = box;
      const plate = kept(plates, `${player} ${height}`, () => createPlate(width, height, height / PANEL.height));
      const row = rowOf(moment, player, firesBy.get(player) ?? []);
      ctx.globalAlpha = panelOpacity(moment, box);
      ctx.drawImage(
        plate(JSON.stringify(row), (panel) => paintRow(panel, row)),
        x,
        y,
      );
    }
  };
}

function rowOf({ match, players, shot, tick }: Moment, player: PlayerIndex, fires: readonly WeaponFire[]): Row {
  const state = players[player];
  const outfit = outfitAt(match, player, tick);
  const fired = (fires.findLast((fire) => fire.tick <= tick) ?? fires[0])?.weapon ?? null;
  return {
    name: drawableName(match.players[player]?.name ?? ''),
    team: state?.team ?? null,
    isPov: player === shot.pov,
    crosshair: (player === shot.pov && match.players[player]?.crosshair) || null,
    health: state?.alive === true ? state.health : 0,
    armor: outfit?.armor ?? 0,
    helmet: outfit?.helmet ?? false,
    kit: outfit?.kit ?? false,
    bomb: outfit?.items.includes('c4') ?? false,
    weapon: outfit?.weapon ?? outfit?.items.find((item) => PRIMARY.test(item) && !GRENADE.test(item)) ?? fired,
    grenades: outfit?.items.filter((item) => GRENADE.test(item)) ?? [],
    money: outfit?.money ?? null,
    rounds: player === shot.pov ? roundsOf(outfit) : null,
  };
}

/** Returns null for what is not loaded: a knife, a grenade. */
function roundsOf(outfit: Outfit | null): string | null {
  if (outfit?.clip === undefined || GRENADE.test(outfit.weapon ?? '')) return null;
  return outfit.reserve === undefined ? `${outfit.clip}` : `${outfit.clip} / ${outfit.reserve}`;
}

/** The point-of-view player's panel is the brightest. A dead player's panel has only the name. */
function paintRow(ctx: Context2D, row: Row): void {
  const color = teamColor(row.team);
  const alive = row.health > 0;
  panelBox(ctx, 0, PANEL.width, PANEL.height);
  ctx.globalAlpha = alive ? 1 : 0.5;
  if (row.isPov) {
    ctx.strokeStyle = COLOR.ink;
    ctx.lineWidth = 3;
    ctx.stroke();
  }
  ctx.fillStyle = color;
  ctx.fillRect(10, 12, 5, PANEL.height - 24);
  ctx.textAlign = 'left';
  ctx.font = font(row.isPov ? FONT.display : FONT.text, 26, row.name);
  ctx.fillStyle = row.isPov ? COLOR.ink : '#d5dee6';
  ctx.fillText(fitText(ctx, row.name, row.crosshair === null ? 200 : 186), 26, 29);
  ctx.textAlign = 'right';
  const right = PANEL.width - 14;
  ctx.font = font(FONT.display, 29);
  ctx.fillStyle = row.health <= 30 ? COLOR.danger : COLOR.ink;
  if (alive) {
    ctx.fillText(`${row.health}`, right, 31);
    paintLife(ctx, row, color);
    paintItems(ctx, row);
    if (row.crosshair !== null) paintCrosshair(ctx, row.crosshair, CROSSHAIR.x, CROSSHAIR.y, CROSSHAIR.reach);
  }
  ctx.textAlign = 'left';
  ctx.globalAlpha = 1;
}

/** Paints health as a line along the foot of the row, and armour as a shield next to the number, full with a helmet. */
function paintLife(ctx: Context2D, { health, armor, helmet }: Row, color: string): void {
  ctx.fillStyle = withAlpha(COLOR.ink, 0.14);
  ctx.fillRect(26, PANEL.height - 9, PANEL.width - 40, 4);
  ctx.fillStyle = health <= 30 ? COLOR.danger : color;
  ctx.fillRect(26, PANEL.height - 9, ((PANEL.width - 40) * health) / 100, 4);
  if (armor === 0) return;
  const x = PANEL.width - 92;
  ctx.beginPath();
  ctx.moveTo(x, 12);
  ctx.lineTo(x + 16, 12);
  ctx.lineTo(x + 16, 22);
  ctx.quadraticCurveTo(x + 15, 29, x + 8, 32);
  ctx.quadraticCurveTo(x + 1, 29, x, 22);
  ctx.closePath();
  ctx.lineWidth = 2.4;
  ctx.strokeStyle = withAlpha(COLOR.ink, 0.85);
  ctx.fillStyle = withAlpha(COLOR.ink, 0.85);
  if (helmet) ctx.fill();
  ctx.stroke();
}

function paintItems(ctx: Context2D, row: Row): void {
  const top = 37;
  let x = 26;
  const put = (item: string, height: number, color: string): void => {
    ctx.fillStyle = color;
    drawWeaponGlyph(ctx, item, x, top + (20 - height) / 2, height);
    x += weaponGlyphWidth(item, height) + 8;
  };
  if (row.weapon !== null) put(row.weapon, 22, COLOR.ink);
  if (row.rounds !== null) {
    ctx.font = font(FONT.text, 22);
    ctx.textAlign = 'left';
    ctx.fillStyle = COLOR.ink;
    ctx.fillText(row.rounds, x, 54);
    x += ctx.measureText(row.rounds).width + 12;
    ctx.textAlign = 'right';
  }
  for (const grenade of row.grenades) put(grenade, 20, COLOR.soft);
  if (row.bomb && row.weapon !== 'c4') put('c4', 17, COLOR.accent);
  if (row.kit) put('defuser', 18, COLOR.good);
  if (row.money === null) return;
  ctx.font = font(FONT.text, 22);
  ctx.fillStyle = '#a9d7b4';
  ctx.fillText(`$${row.money}`, PANEL.width - 14, 54);
}
