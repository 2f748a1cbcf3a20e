import type { GameEvent } from './game-events.ts';
import type { Blinding, BombAction, PlayerIndex, Reload } from './match.ts';
import { addAtMost } from './rejected-demo.ts';

const BOMB_ACTIONS = {
  bomb_beginplant: 'plant_begun',
  bomb_abortplant: 'plant_given_up',
  bomb_planted: 'planted',
  bomb_begindefuse: 'defuse_begun',
  bomb_abortdefuse: 'defuse_given_up',
  bomb_defused: 'defused',
  bomb_exploded: 'exploded',
  bomb_dropped: 'dropped',
  bomb_pickup: 'picked_up',
} as const satisfies Record<string, BombAction['kind']>;

export const ACTION_EVENTS = ['weapon_reload', 'player_blind', ...Object.keys(BOMB_ACTIONS)];

/** A long match has 3,000 reloads, 2,000 blindings and 500 steps of the bomb. */
const MOST = { reloads: 100_000, blindings: 100_000, bombActions: 20_000 };

export interface ActionRecorder {
  handle(tick: number, event: GameEvent, who: (field: string) => PlayerIndex | null): void;
  finish(): {
    readonly reloads: readonly Reload[];
    readonly blindings: readonly Blinding[];
    readonly bombActions: readonly BombAction[];
  };
}

/** Collects reloads, blindings and work on the bomb. */
export function createActionRecorder(): ActionRecorder {
  const reloads: Reload[] = [];
  const blindings: Blinding[] = [];
  const bombActions: BombAction[] = [];
  return {
    handle(tick, event, who) {
      if (event.name === 'weapon_reload') {
        const player = who('userid');
        if (player !== null) addAtMost(reloads, MOST.reloads, 'reloads', { tick, player });
        return;
      }
      if (event.name === 'player_blind') {
        const player = who('userid');
        const seconds = event.number('blind_duration');
        if (player === null || !(seconds > 0)) return;
        addAtMost(blindings, MOST.blindings, 'blindings', { tick, player, by: who('attacker'), seconds });
        return;
      }
      const kind = isBombEvent(event.name) ? BOMB_ACTIONS[event.name] : null;
      if (kind === null) return;
      const action = { tick, kind, player: who('userid'), ...(event.flag('haskit') ? { hasKit: true as const } : {}) };
      addAtMost(bombActions, MOST.bombActions, 'steps of the bomb', action);
    },
    finish: () => ({ reloads, blindings, bombActions }),
  };
}

function isBombEvent(name: string): name is keyof typeof BOMB_ACTIONS {
  return name in BOMB_ACTIONS;
}
