import { cleanLine } from '#domain/clean-text.ts';
import { gameFailure, RecordingFailure } from './failure.ts';

/** The phase of a game. Each has its own faults, and players can write to the console only from `loading` on. */
export type GamePhase = 'setup' | 'loading' | 'playing';

/** The engine's channel, such as `[Console] `, after the time if the log has one. */
const PREFIX = String.raw`^(?:\d\d/\d\d \d\d:\d\d:\d\d )?(?:\[\w+\] +)?`;
/** The engine's message for the hook's commands in a game without the hook. */
const NO_HOOK = new RegExp(`${PREFIX}Unknown command:? '?mirv_\\w+'?!?$`, 'i');
/**
 * The engine's message when its build cannot play a demo. advancedfx and 5stack wait for the first reason; games since
 * July 2026 end older recordings with the others, also in their middle ("Failed to parse message").
 */
const INCOMPATIBLE = new RegExp(
  `${PREFIX}(?:CL: +)?(?:Disconnect(?:ed|ing)?(?: from server)?|(?:SV: +)?Server shutting down): ` +
    String.raw`NETWORK_DISCONNECT_(?:REPLAY_INCOMPATIBLE|MESSAGE_PARSE_ERROR|INVALID_MESSAGE_ERROR)\b(?: \(.*\))?\.?$`,
);
/** The same on a line of its own, before the game returns to its menu. */
const UNPARSED = new RegExp(String.raw`${PREFIX}Failed to parse message\b(?: \w+)?\.?$`);
/**
 * The last lines of a game that crashes on a demo of another build (ValveSoftware/csgo-osx-linux 3429, 4055, 4543).
 * Whole lines only: a player's name can be the start of a line, but not all of it.
 */
const FATAL = new RegExp(
  `${PREFIX}(?:FATAL ERROR: )?(?:CopyNewEntity: invalid class index \\(\\d+\\), out of range \\d+|GetClassBaseline: ` +
    String.raw`(?:FindStringIndex failed(?: for class \w+)?|m_baselinehandles\.find\(\d+\) Failed for class \w+))\.?$`,
  'i',
);

/** Finds in the console what the game reports about its own faults. */
export interface ConsoleFaults {
  enter(phase: GamePhase): void;
  /** Returns the failure that a line reports, or null. Chat can never match. */
  faultIn(line: string): RecordingFailure | null;
  /**
   * Returns why a game ended or hangs: its own last lines about the demo, else what the caller saw. A line alone ends
   * nothing, because a player's name or chat can contain any text.
   */
  explain(observed: string): RecordingFailure;
}

export function listenForFaults(): ConsoleFaults {
  let phase: GamePhase = 'setup';
  let lastWords: string | null = null;
  return {
    enter(next) {
      phase = next;
      lastWords = null;
    },
    faultIn(line) {
      const text = line.trimEnd();
      if (phase === 'setup') {
        return NO_HOOK.test(text) ? gameFailure(`the game runs without HLAE: ${quote(text)}`) : null;
      }
      const isRefusal = INCOMPATIBLE.test(text);
      if (isRefusal || FATAL.test(text) || UNPARSED.test(text)) lastWords = text;
      return phase === 'loading' && isRefusal ? incompatible(text) : null;
    },
    explain: (observed) => (lastWords === null ? gameFailure(observed) : incompatible(lastWords)),
  };
}

function incompatible(line: string): RecordingFailure {
  return new RecordingFailure('demo_incompatible', `the game cannot play the demo: ${quote(line)}`);
}

function quote(line: string): string {
  return cleanLine(line).slice(0, 300);
}
