import { composeMatch } from '#demo-writer/index.ts';

/** Ten names, each with a word that no text of the service has. */
const ODD_NAMES = [
  '🔥Quibus🔥',
  'שלוםעולם',
  '<b>Vexillo</b>',
  'Wobbegongwobbegongwobbegongwobbegongwobbegong',
  'AK-47 | Ovidius',
  '"Jinxora" & Co\\',
  '%s%n{Krypto}',
  '\u202eHsilgnex',
  'Ünïcødüs\tñ',
  "'; DROP TABLEAUX --",
];

/** Two rounds in which each of the ten players kills, is killed or assists. */
export const ODD_MATCH = composeMatch({
  players: ODD_NAMES.map((name, userId) => ({ name, steamId: `7656119999041726${userId}`, userId })),
  rounds: [
    { startTick: 64, endTick: 2200, winner: 'T' },
    { startTick: 2600, endTick: 4200, winner: 'CT' },
  ],
  kills: [
    { tick: 640, attacker: 0, victim: 5, assister: 1, headshot: true },
    { tick: 704, attacker: 0, victim: 6, assister: 2, weapon: 'awp' },
    { tick: 900, attacker: 7, victim: 3, assister: 8 },
    { tick: 1200, attacker: 0, victim: 9, weapon: 'knife' },
    { tick: 1600, attacker: 0, victim: 7 },
    { tick: 1700, attacker: 4, victim: 8 },
    { tick: 3000, attacker: 0, victim: 8 },
  ],
});

/** Returns the parts of names that a text shows, also cut or escaped: the first letters of a word. */
export function oddNamesIn(text: string): string[] {
  const words = ODD_NAMES.map((name) => /[\p{L}]{5,}/u.exec(name)?.[0].slice(0, 5) ?? '');
  return words.filter((word) => [word, encodeURIComponent(word)].some((form) => text.includes(form)));
}

/** Returns the Steam ids of the match in a text. */
export const idsIn = (text: string): string[] =>
  ODD_MATCH.players.flatMap(({ steamId }) => (text.includes(steamId) ? [steamId] : []));
