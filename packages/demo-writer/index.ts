/**
 * Writes true Counter-Strike 2 demos of matches that nobody played: the sample that the project shows itself with, and
 * matches of given rounds and kills for tests. A script (`script/`) says what happens and knows nothing of the format;
 * `format/` writes it down and knows nothing of the game. `truthOf` tells what a reader of the demo must find.
 */
export { encodeDemo } from './format/demo.ts';
export type { RecordingOptions } from './format/recording.ts';
export { composeMatch } from './script/composed-match.ts';
export type { ComposedKill, ComposedRound, MatchOutline } from './script/composed-outline.ts';
export { createSampleMatch, type SampleOptions } from './script/sample-match.ts';
export type { ScriptedMatch } from './script/scripted-match.ts';
export { type TrueKill, type TrueRound, type Truth, truthOf } from './script/truth.ts';
export { writeDemoFile } from './write-demo-file.ts';
