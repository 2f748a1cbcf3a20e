const MAP_NAMES: Readonly<Record<string, string>> = { de_dust2: 'Dust II' };

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
