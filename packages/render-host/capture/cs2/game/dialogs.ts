import { cleanLine } from '#domain/clean-text.ts';
import { output } from './machine-faults.ts';

/** A window of Steam or of the game that waits for an answer. */
export interface Dialog {
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

/**
 * Known titles, from 5stackgg's game-streamer, cs-demo-manager, scripts that sign in to Steam, and reports of users.
 */
const KNOWN: readonly (readonly [RegExp, string, string])[] = [
  [/^Steam Dialog$/, 'Steam asks something, of the cloud mostly', 'switch off Steam Cloud for the game'],
  [
    /^(Sign in to Steam|Steam Sign In|Steam Login)$/,
    'nobody is signed in to Steam',
    'sign in, and have Steam remember it',
  ],
  [/^Steam Guard/, 'Steam wants a code', 'sign in by hand once on this machine'],
  [/^Processing Vulkan shaders/i, 'Steam prepares shaders', 'switch off shader pre-caching in Steam’s settings'],
  [/^(Steam - )?Updat(e|ing)\b/, 'Steam updates', 'wait; have it update outside of working hours'],
  [
    /^(Source )?(Engine Error|Fatal Error)$/i,
    'the game gave up',
    'read the window; have Steam verify the game’s files',
  ],
  [/^cs2\.exe - /i, 'Windows reports a crash of the game', 'read the window; see whether HLAE has a newer release'],
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
export async function findDialogs(environment: NodeJS.ProcessEnv = process.env): Promise<Dialog[]> {
  const titles = await windowTitles(environment);
  return titles.flatMap((title) => {
    const [, meaning, remedy] = KNOWN.find(([pattern]) => pattern.test(title)) ?? [];
    return meaning === undefined || remedy === undefined ? [] : [{ title, meaning, remedy }];
  });
}

/** Appends the waiting dialogs, with what they probably ask. */
export async function withDialogs(detail: string): Promise<string> {
  const [dialog] = await findDialogs();
  return dialog === undefined ? detail : `${detail}; a window “${dialog.title}” waits: ${dialog.meaning}`;
}

async function windowTitles(environment: NodeJS.ProcessEnv): Promise<string[]> {
  const isWindows = process.platform === 'win32';
  const titles = await (isWindows
    ? output('tasklist', ['/v', '/fo', 'csv', '/nh'], environment)
    : output('xwininfo', ['-root', '-tree'], environment));
  // Windows: `"steam.exe",…,"title"` at the end of a line. Linux: `0x1400003 "title": ("class" "Class") 400x300+0+0`.
  const pattern = isWindows ? /,"([^"]*)"\s*$/ : /^\s*0x[0-9a-f]+ "(.*)": \(/;
  return (titles ?? '').split('\n').flatMap((line) => cleanLine(pattern.exec(line)?.[1] ?? '') || []);
}
