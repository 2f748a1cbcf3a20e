import { findVideo } from './player.ts';

findVideo();
