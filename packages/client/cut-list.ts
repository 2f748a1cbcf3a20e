import type { Plan } from './shapes.ts';

type Shot = Plan['shots'][number];
type Card = NonNullable<Plan['cards']>[number];

/** Returns the cards and the shots of a plan, in the order of the clip. */
export function cutListOf({ shots, cards = [] }: Plan): readonly (Shot | Card)[] {
  const isLast = ({ kind }: Card) => kind === 'outro';
  return [...cards.filter((card) => !isLast(card)), ...shots, ...cards.filter(isLast)];
}
