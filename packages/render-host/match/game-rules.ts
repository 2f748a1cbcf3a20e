/** Length of the bomb's fuse in seconds. */
export const BOMB_FUSE_SECONDS = 40;
