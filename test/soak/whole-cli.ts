import { numbersOf, say } from '#bench/load.ts';
import { playWholeMatch } from './whole-match.ts';

await playWholeMatch(numbersOf({ rounds: 30, seed: 1 }), say);
