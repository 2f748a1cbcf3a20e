/** What a rule may cause on a day (UTC) if its maker does not say. */
export const DEFAULT_BUDGET = { demos_a_day: 20, clips_a_day: 50 } as const;
