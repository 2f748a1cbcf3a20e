import { cleanLine } from '#domain/lib/text.ts';
import { output } from '../../../machine/program.ts';
import type { CaptureResult } from '../../capture.ts';

type FailureCode = Extract<CaptureResult, { readonly ok: false }>['code'];

/** Ends a recording. The capture turns it into its result. */
export class RecordingFailure extends Error {
  readonly code: FailureCode;
  /**
   * `unfit`: the recorder does not fit this build of the game, so no demo can be recorded. `loading`: the game crashed
   * while it loaded the demo, which may be the demo's fault.
   */
  readonly fault: 'unfit' | 'loading' | null;

  constructor(code: FailureCode, detail: string, fault: RecordingFailure['fault'] = null) {
    super(detail);
    this.name = 'RecordingFailure';
    this.code = code;
    this.fault = fault;
  }
}

/** The game failed, or did not start. Another attempt may succeed. */
export function gameFailure(detail: string): RecordingFailure {
  return new RecordingFailure('cs2_unavailable', detail);
}

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
   * Returns why a game ended or hangs: its own last lines about the demo, else what the caller saw, with the waiting
   * dialogs. A line alone ends nothing, because a player's name or chat can contain any text.
   */
  explain(observed: string, hasEnded?: boolean): Promise<RecordingFailure>;
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
    async explain(observed, hasEnded = false) {
      if (lastWords !== null) return incompatible(lastWords);
      const wasLoading = phase === 'loading';
      const dialogs = await findDialogs();
      const detail = withDialog(observed, dialogs);
      if (!wasLoading || !(hasEnded || dialogs.some(({ isCrash }) => isCrash))) return gameFailure(detail);
      return new RecordingFailure('cs2_unavailable', `the game crashed while it loaded the demo: ${detail}`, 'loading');
    },
  };
}

function incompatible(line: string): RecordingFailure {
  return new RecordingFailure('demo_incompatible', `the game cannot play the demo: ${quote(line)}`);
}

function quote(line: string): string {
  return cleanLine(line).slice(0, 300);
}

/** A window of Steam or of the game that waits for an answer. */
export interface Dialog {
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
  /** The game has crashed. */
  readonly isCrash: boolean;
}

/**
 * The owner of the game's windows: an X class or a Windows program. SDL's message boxes have no class. Other programs
 * also name a window “Error”.
 */
const GAME = /^$|"cs2"|^cs2\.exe$/i;
/**
 * Known titles, from 5stackgg's game-streamer, cs-demo-manager, scripts that sign in to Steam, and reports of users. A
 * window of a `crashOf` means that the game has crashed.
 */
const KNOWN: readonly (readonly [pattern: RegExp, meaning: string, remedy: string, crashOf?: RegExp])[] = [
  [/^Steam Dialog$/, 'Steam asks something, of the cloud mostly', 'switch off Steam Cloud for the game'],
  [
    /^(Sign in to Steam|Steam Sign In|Steam Login)$/,
    'nobody is signed in to Steam',
    'sign in, and have Steam remember it',
  ],
  [/^Steam Guard/, 'Steam wants a code', 'sign in by hand once on this machine'],
  [/^Processing Vulkan shaders/i, 'Steam prepares shaders', 'switch off shader pre-caching in Steam’s settings'],
  [/^(Steam - )?Updat(e|ing)\b/, 'Steam updates', 'wait; have it update outside of working hours'],
  // On Linux the title is “Error”.
  [
    /^(Source )?((Engine|Fatal) )?Error$/i,
    'the game gave up',
    'read the window; have Steam verify the game’s files',
    GAME,
  ],
  [
    /^cs2\.exe - /i,
    'Windows reports a crash of the game',
    'read the window; see whether HLAE has a newer release',
    /^/,
  ],
  [
    /^HLAE - Error|Error - AfxHookSource|^AfxHookSource2/,
    'HLAE could not go on',
    'install the HLAE that fits the game’s build',
  ],
];

/**
 * Returns the dialogs that wait now; none if the system does not list windows. Answers none of them, because who may
 * answer, and what, differs.
 */
export async function findDialogs(
  environment: NodeJS.ProcessEnv = process.env,
  isWindows = process.platform === 'win32',
): Promise<Dialog[]> {
  const listed = await (isWindows
    ? output('tasklist', ['/v', '/fo', 'csv', '/nh'], environment)
    : output('xwininfo', ['-root', '-tree'], environment));
  // Windows: `"steam.exe",…,"title"`. Linux: `0x1400003 "title": ("class" "Class") 400x300+0+0`, or `()` for no class.
  const line = isWindows
    ? /^"(?<owner>[^"]*)",.*,"(?<name>[^"]*)"\s*$/gm
    : /^\s*0x[0-9a-f]+ "(?<name>.*)": \((?<owner>.*?)\)/gm;
  return [...(listed ?? '').matchAll(line)].flatMap(({ groups: { owner = '', name = '' } = {} }) => {
    const title = cleanLine(name);
    const found = KNOWN.filter(([pattern, , , crashOf]) => pattern.test(title) && crashOf?.test(owner) !== false);
    return found.map(([, meaning, remedy, crashOf]) => ({ title, meaning, remedy, isCrash: crashOf !== undefined }));
  });
}

/** Appends the waiting dialogs, with what they probably ask. */
export async function withDialogs(detail: string): Promise<string> {
  return withDialog(detail, await findDialogs());
}

function withDialog(detail: string, [dialog]: readonly Dialog[]): string {
  return dialog === undefined ? detail : `${detail}; a window “${dialog.title}” waits: ${dialog.meaning}`;
}
