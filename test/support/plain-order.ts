/** The parts of an order that only cut, without an option. `_VIEW`: as a host gets them. */

export const PLAIN_KILLS = { mode: 'round', pov: 'killer', mergeGap: 0, killSlowdown: null } as const;
export const PLAIN_KILLS_VIEW = { mode: 'round', pov: 'killer', merge_gap: 0, kill_slowdown: null } as const;

/** No cards and no music. */
export const NO_CARDS = {
  introAssetId: null,
  outroAssetId: null,
  titleCard: false,
  cardSeconds: 3,
  musicAssetId: null,
} as const;
export const NO_CARDS_VIEW = {
  intro_asset_id: null,
  outro_asset_id: null,
  title_card: false,
  card_seconds: 3,
  music_asset_id: null,
} as const;
