import type { ScriptedPlayer } from './scripted-match.ts';

/** The first five start as terrorists. The Steam ids are of a range that is not assigned yet. */
const PEOPLE: readonly (readonly [name: string, steamId: string])[] = [
  ['Juniper', '76561199990417263'],
  ['Käthe Möwe', '76561199983150948'],
  ['Saltmarsh', '76561199987726501'],
  ['Маяк', '76561199995208837'],
  ['Old Harbour', '76561199981364790'],
  ['Copperfin', '76561199992845116'],
  ['Łukasz Z.', '76561199986093472'],
  ['Tern & Plover', '76561199984571329'],
  ['Quiet Monday', '76561199998630254'],
  ['Beacon Hill', '76561199989902685'],
];

/** Ten players, five of each team. */
export const ROSTER: readonly ScriptedPlayer[] = PEOPLE.map(([name, steamId], userId) => ({ name, steamId, userId }));

export const TEAM_SIZE = 5;
