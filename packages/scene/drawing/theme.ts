import type { Team } from '../match/match.ts';

/** The picture's colours. Blue and orange differ for each common colour blindness. Shapes differ by team too. */
export const COLOR = {
  background: '#090d12',
  ink: '#f3f6f9',
  soft: '#c3ced9',
  muted: '#93a4b5',
  faint: '#4d5c6b',
  panel: 'rgba(7, 11, 16, 0.9)',
  danger: '#ff4d5a',
  good: '#8cf5b8',
  accent: '#ffd166',
  fire: '#ff7a3d',
} as const;

const TEAM_COLOR: Record<Team, string> = { CT: '#66d0ff', T: '#ffb658' };
const TEAM_TEXT: Record<Team, string> = { CT: '#8cdcff', T: '#ffc985' };

/** Returns the colour of a team's markers. */
export function teamColor(team: Team | null): string {
  return team === null ? COLOR.muted : TEAM_COLOR[team];
}

/** Returns the lighter tone of a team's colour, which is legible as text. */
export function teamText(team: Team | null): string {
  return team === null ? COLOR.muted : TEAM_TEXT[team];
}

/** Returns `#rrggbb` with an alpha of 0 to 1. */
export function withAlpha(hex: string, alpha: number): string {
  const value = Math.round(Math.min(Math.max(alpha, 0), 1) * 255);
  return `${hex}${value.toString(16).padStart(2, '0')}`;
}
