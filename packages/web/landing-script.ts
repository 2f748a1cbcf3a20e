import { findVideo } from './parts/player-js.ts';

findVideo();
