/**
 * Writes valid Counter-Strike 2 demos of matches that nobody played: the sample of the project, and matches of given
 * rounds and kills for tests. `script/` makes the match, independent of the format. `format/` writes it, with the
 * tables of `demo-format`. `truthOf` returns what a reader of the demo must find.
 */
export { encodeDemo } from './format/demo.ts';
export type { RecordingOptions } from './format/recording.ts';
export { composeMatch } from './script/composed-match.ts';
export type { ComposedKill, ComposedRound, MatchOutline } from './script/composed-outline.ts';
export { createSampleMatch, type SampleOptions } from './script/sample-match.ts';
export type { ScriptedMatch } from './script/scripted-match.ts';
export { type TrueKill, type TrueRound, type Truth, truthOf } from './script/truth.ts';
export { writeDemoFile } from './write-demo-file.ts';
