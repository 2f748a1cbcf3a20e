const MAP_NAMES: Readonly<Record<string, string>> = { de_dust2: 'Dust II' };

/** Replacement names by Steam id. Players without one are numbered. */
export type PlayerNames = Readonly<Record<string, string>>;

/** Returns the players with the names of a clip: the text for their Steam id, else `Player N` by position. */
export function renamePlayers<Player>(
  players: readonly Player[],
  names: PlayerNames,
  idOf: (player: Player, index: number) => string | undefined,
): (Player & { readonly name: string })[] {
  return players.map((player, i) => ({ ...player, name: names[idOf(player, i) ?? ''] ?? `Player ${i + 1}` }));
}

/** Returns a map's name as people say it: `de_nuke` is Nuke, `workshop/1/de_x` is X. */
export function mapName(map: string): string {
  const known = MAP_NAMES[map];
  if (known !== undefined) return known;
  const bare = (map.split('/').at(-1) ?? map).replace(/^[a-z]{2,3}_/, '').replaceAll('_', ' ');
  return bare.replace(/\b\p{L}/gu, (letter) => letter.toUpperCase());
}

/** Whether a map is of the workshop: `workshop/<id>/<map>`, with or without folders before it. */
export function isWorkshopMap(map: string): boolean {
  return /(^|\/)workshop\//.test(map);
}

const NAMES: Readonly<Record<string, string>> = {
  ak47: 'AK-47',
  aug: 'AUG',
  awp: 'AWP',
  bizon: 'PP-Bizon',
  c4: 'C4',
  cz75a: 'CZ75-Auto',
  deagle: 'Desert Eagle',
  decoy: 'Decoy',
  elite: 'Dual Berettas',
  famas: 'FAMAS',
  fiveseven: 'Five-SeveN',
  flashbang: 'Flashbang',
  g3sg1: 'G3SG1',
  galilar: 'Galil AR',
  glock: 'Glock-18',
  hegrenade: 'HE Grenade',
  hkp2000: 'P2000',
  incgrenade: 'Incendiary',
  inferno: 'Fire',
  m249: 'M249',
  m4a1: 'M4A4',
  m4a1_silencer: 'M4A1-S',
  mac10: 'MAC-10',
  mag7: 'MAG-7',
  molotov: 'Molotov',
  mp5sd: 'MP5-SD',
  mp7: 'MP7',
  mp9: 'MP9',
  negev: 'Negev',
  nova: 'Nova',
  p250: 'P250',
  p90: 'P90',
  planted_c4: 'C4',
  revolver: 'R8 Revolver',
  sawedoff: 'Sawed-Off',
  scar20: 'SCAR-20',
  sg556: 'SG 553',
  smokegrenade: 'Smoke',
  ssg08: 'SSG 08',
  taser: 'Zeus x27',
  tec9: 'Tec-9',
  ump45: 'UMP-45',
  usp_silencer: 'USP-S',
  xm1014: 'XM1014',
};

/** Returns the usual name of a weapon by the game's. An unknown one is the game's name in capitals. */
export function weaponName(weapon: string): string {
  if (/knife|bayonet/.test(weapon)) return 'Knife';
  return NAMES[weapon.replace(/_off$/, '')] ?? weapon.replaceAll('_', ' ').toUpperCase();
}
