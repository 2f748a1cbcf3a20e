/** Jobs under a provisioned slot go before all others. */
export const COVERED = 0;
export const BEST_EFFORT = 1;
/** Short work goes between the two. Code that does not know of it serves none of it. */
export const SHORT = 2;
/** In the order in which hosts are given jobs of them. */
export const LANES = [COVERED, SHORT, BEST_EFFORT] as const;
