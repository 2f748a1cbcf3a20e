import type { Rule } from './shapes.ts';

const SOURCES = { upload: 'uploads', ingest: 'game servers', faceit: 'FACEIT' } as const;

/** Returns what a rule renders of which demos: `the best 3 moments, from game servers, on de_mirage`. */
export function ruleText({ when, render }: Pick<Rule, 'when' | 'render'>): string {
  const { what, kinds, players, team, limit } = render;
  const moments = {
    highlights: `the best ${limit ?? 3} moments${kinds ? ` (${kinds.join(', ')})` : ''}`,
    kills: 'all kills of each player',
    best_of_each: "each player's best moment",
  };
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['of at most', limit && what !== 'highlights' ? [`${limit} players`] : undefined],
    ['by', players],
    ['by the team that starts as', team && [team]],
    ['from', when.sources?.map((source) => SOURCES[source])],
    ['tagged', when.tags],
    ['on', when.maps],
    ['with', when.players],
  ];
  return [moments[what], ...parts.flatMap(([word, list]) => (list ? `${word} ${list.join(' or ')}` : []))].join(', ');
}

/** Returns the state of a rule for people: `on`, `paused`, and why if the service did it. */
export const ruleState = ({ enabled, paused }: Pick<Rule, 'enabled' | 'paused'>): string =>
  enabled ? 'on' : paused ? `paused: ${paused.reason}` : 'paused';
