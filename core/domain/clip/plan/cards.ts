import type { AssetOptions } from '../render-order.ts';

/** A still picture in a clip. */
export interface Card {
  readonly kind: 'intro' | 'title' | 'outro';
  readonly seconds: number;
}

/** The cards of a clip before and after its shots. */
export type Cards = Readonly<Record<'before' | 'after', readonly Card[]>>;

/** Returns the cards of an order. */
export function cardsOf({ introAssetId, titleCard, outroAssetId, cardSeconds: seconds }: AssetOptions): Cards {
  const card = (kind: Card['kind'], isAsked: boolean): Card[] => (isAsked ? [{ kind, seconds }] : []);
  return {
    before: [...card('intro', introAssetId !== null), ...card('title', titleCard)],
    after: card('outro', outroAssetId !== null),
  };
}
