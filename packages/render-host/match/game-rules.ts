/** Length of a round in competitive play, and of the bomb's fuse, in seconds. */
export const ROUND_SECONDS = 115;
export const BOMB_FUSE_SECONDS = 40;
