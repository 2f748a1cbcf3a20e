import { cleanLine } from '#domain/clean-text.ts';
import { gameTrouble, RecordingFailure } from './failure.ts';

/** What the game is at: it can only say in each what belongs to it, and only from `loading` on do players speak. */
export type GamePhase = 'setup' | 'loading' | 'playing';

/** `[Console] `, `[Client] ` and the like: the engine's channel, before it the time where the log has one. */
const PREFIX = String.raw`^(?:\d\d/\d\d \d\d:\d\d:\d\d )?(?:\[\w+\] +)?`;
/** The hook's commands are unknown to a game without the hook. */
const NO_HOOK = new RegExp(`${PREFIX}Unknown command:? '?mirv_\\w+'?!?$`, 'i');
/** The engine parts from a demo that its build cannot play; advancedfx and 5stack wait for this word. */
const INCOMPATIBLE = new RegExp(
  `${PREFIX}(?:CL: +)?(?:Disconnect(?:ed|ing)?(?: from server)?|(?:SV: +)?Server shutting down): ` +
    String.raw`NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE\b(?: \(.*\))?\.?$`,
);
/**
 * Last words of a game that a demo of another build brings down (ValveSoftware/csgo-osx-linux 3429, 4055, 4543). Whole
 * lines: a player's name may stand at the start of one, but not alone on it.
 */
const FATAL = new RegExp(
  `${PREFIX}(?:FATAL ERROR: )?(?:CopyNewEntity: invalid class index \\(\\d+\\), out of range \\d+|GetClassBaseline: ` +
    String.raw`(?:FindStringIndex failed(?: for class \w+)?|m_baselinehandles\.find\(\d+\) Failed for class \w+))\.?$`,
  'i',
);

/** Listens to the console for what the game says of its own troubles. */
export interface ConsoleFaults {
  enter(phase: GamePhase): void;
  /** The failure that a line is; null for any other, whatever somebody wrote in the chat. */
  hear(line: string): RecordingFailure | null;
  /**
   * What a game that ended or hangs died of: its own last words about the demo, else what its observer saw. Words alone
   * end nothing, since a player's name or chat can hold any.
   */
  explain(seen: string): RecordingFailure;
}

export function listenForFaults(): ConsoleFaults {
  let phase: GamePhase = 'setup';
  let lastWords: string | null = null;
  return {
    enter(next) {
      phase = next;
      lastWords = null;
    },
    hear(line) {
      const text = line.trimEnd();
      if (phase === 'setup') {
        return NO_HOOK.test(text) ? gameTrouble(`the game runs without HLAE: ${quote(text)}`) : null;
      }
      if (FATAL.test(text)) lastWords = text;
      return phase === 'loading' && INCOMPATIBLE.test(text) ? incompatible(text) : null;
    },
    explain: (seen) => (lastWords === null ? gameTrouble(seen) : incompatible(lastWords)),
  };
}

function incompatible(line: string): RecordingFailure {
  return new RecordingFailure('demo_incompatible', `the game cannot play the demo: ${quote(line)}`);
}

function quote(line: string): string {
  return cleanLine(line).slice(0, 300);
}
