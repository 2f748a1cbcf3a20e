import { findVideo } from './parts/player.ts';

findVideo();
