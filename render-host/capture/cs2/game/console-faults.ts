import { gameTrouble, RecordingFailure } from './failure.ts';

/** What the game says of a demo that its build cannot play. */
const INCOMPATIBLE = [/NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE/, /GetClassBaseline\b.*\bfailed/];
/** The hook's commands are unknown to a game without the hook. */
const NO_HOOK = /Unknown command.*\bmirv_/i;

/** The failure that a console line tells of; null for any other line. */
export function faultIn(line: string): RecordingFailure | null {
  if (INCOMPATIBLE.some((pattern) => pattern.test(line))) {
    return new RecordingFailure('demo_incompatible', `the game cannot play the demo: ${line.trim().slice(0, 300)}`);
  }
  return NO_HOOK.test(line) ? gameTrouble(`the game runs without HLAE: ${line.trim().slice(0, 300)}`) : null;
}
