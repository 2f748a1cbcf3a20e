/** Writes true Counter-Strike 2 demos of made-up matches. */
export { encodeDemo } from './format/demo.ts';
export { type ComposedKill, type ComposedRound, composeMatch, type MatchOutline } from './script/composed-match.ts';
export { createSampleMatch, type SampleOptions } from './script/sample-match.ts';
export type { ScriptedMatch } from './script/scripted-match.ts';
export { type TrueKill, type TrueRound, type Truth, truthOf } from './script/truth.ts';
export { writeDemoFile } from './write-demo-file.ts';
