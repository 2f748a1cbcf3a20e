/** The game's clock and match as servers set them where a demo does not say otherwise. */
const DEFAULT_ROUND_SECONDS = 115;

export interface GameVariables {
  note(tick: number, name: string, value: string): void;
  /** Returns a number as it was at a tick; null if the demo has not sent it. */
  at(name: string, tick: number): number | null;
  /** Returns the length of a round that starts at a tick: by the kind of the map, else `mp_roundtime`. */
  roundSeconds(map: string, tick: number): number;
  /** Returns the most rounds of the match and of each overtime; null if the demo does not say. */
  matchRounds(): { readonly regular: number; readonly overtime: number } | null;
}

const WANTED = new Set([
  ...['mp_roundtime', 'mp_roundtime_defuse', 'mp_roundtime_hostage', 'mp_c4timer'],
  ...['mp_maxrounds', 'mp_overtime_enable', 'mp_overtime_maxrounds', 'mp_teammates_are_enemies'],
]);
/** A server sends them at its start and rarely again. */
const MOST_CHANGES = 1000;
/** The game's default of `mp_overtime_maxrounds`. */
const OVERTIME_ROUNDS = 6;

/** Collects the server's variables that say how long things last. They may change during a match. */
export function createGameVariables(): GameVariables {
  const changes: { readonly tick: number; readonly name: string; readonly value: number }[] = [];

  function at(name: string, tick: number): number | null {
    const known = changes.filter((change) => change.name === name);
    return (known.findLast((change) => change.tick <= tick) ?? known[0])?.value ?? null;
  }

  return {
    note(tick, name, text) {
      const value = text === 'true' ? 1 : text === 'false' ? 0 : Number(text);
      if (WANTED.has(name) && Number.isFinite(value) && changes.length < MOST_CHANGES) {
        changes.push({ tick, name, value });
      }
    },
    at,
    roundSeconds(map, tick) {
      const own = at(map.startsWith('cs_') ? 'mp_roundtime_hostage' : 'mp_roundtime_defuse', tick) ?? 0;
      const minutes = own > 0 ? own : (at('mp_roundtime', tick) ?? 0);
      return minutes > 0 ? Math.round(minutes * 60) : DEFAULT_ROUND_SECONDS;
    },
    matchRounds() {
      const regular = at('mp_maxrounds', Infinity);
      if (regular === null || regular <= 0) return null;
      const hasOvertime = (at('mp_overtime_enable', Infinity) ?? 0) > 0;
      return { regular, overtime: hasOvertime ? (at('mp_overtime_maxrounds', Infinity) ?? OVERTIME_ROUNDS) : 0 };
    },
  };
}
