/** A line that a program wrote during a trial, or a report of whom the game shows. */
export interface TrialLine {
  readonly from: 'console' | 'plugin' | 'report' | 'host';
  /** Seconds since the trial began. */
  readonly at: number;
  readonly text: string;
}

/** A recorded shot: what its film has, and what it should have. */
export interface TrialShot {
  /** Such as `demo-1-shot-2`. */
  readonly name: string;
  readonly steamId: string;
  readonly frames: number;
  readonly wantedFrames: number;
  readonly soundSeconds: number;
  readonly wantedSeconds: number;
  /** The file of its sound, in the folder of the take. */
  readonly sound: string;
  readonly killfeed: 'seen' | 'missing' | 'unjudged';
}

/** What a trial recorded. */
export interface Trial {
  readonly lines: readonly TrialLine[];
  readonly shots: readonly TrialShot[];
  /** The programs of the machine afterwards; null if the system does not list them. */
  readonly programs: string | null;
}

/** Whether an assumption holds in a trial, and what shows it. */
export interface Ruling {
  readonly verdict: 'holds' | 'does not' | 'not seen';
  readonly shown: string;
}

export interface JudgedAssumption extends Ruling {
  readonly id: string;
  readonly text: string;
  readonly only_game: boolean;
}

/**
 * How an assumption is judged. A `bad` line refutes it. A `good` line confirms it; without `good`, any recorded shot
 * does, if there are lines to judge. A person judges what `look` names.
 */
type Judged =
  | { readonly by: 'console' | 'plugin' | 'host'; readonly bad: RegExp; readonly good?: RegExp }
  | { readonly by: 'files' | 'report' | 'programs' }
  | { readonly by: 'eyes' | 'hand'; readonly look: string };

/** What the recorders assume, from the source and reports of others. All but those of `Windows` need the game. */
export type Assumption = readonly [id: string, of: 'game' | 'HLAE' | 'plugin' | 'Windows', text: string, how: Judged];

/** The engine's message, not a player's chat. */
const UNKNOWN = /^(?:\d\d\/\d\d [\d:]+ )?(?:\[\w+\] +)?Unknown command:? '?(?!mirv_)\w+'?!?\s*$/i;
const NO_HOOK = /^(?:\[\w+\] +)?Unknown command:? '?mirv_\w+'?!?\s*$/i;
const NO_PICTURES = /^AFXERR|streams: error|without pictures/;
const NO_FILM = /recorded [ns]|picture \d/;
/** Lines about shots are `<name>[, old demo][, bot]: <fault or "recorded">`. */
const UNSEEN_BOT = /, bot: .*(the camera never was|reported nothing of)/;
const OLD_PLAYED = /, old demo.*: recorded$/;
/** A demo that cannot be searched is damaged. */
const REFUSED = /, old demo.*: demo_incompatible: (?!the recording cannot be searched)/;
const LATE = /did not (start|answer|play|come|end)|not answer any more|does not (advance|stop)/;

/** The assumptions. docs/gpu-host.md has the same table. */
export const ASSUMPTIONS: readonly Assumption[] = [
  ['commands', 'game', 'it knows each command and setting', { by: 'console', bad: UNKNOWN }],
  ['in-time', 'game', 'it starts, answers, seeks and plays within the timeouts', { by: 'host', bad: LATE }],
  ['reports', 'game', 'it reports the watched player', { by: 'report' }],
  ['bots', 'game', 'it reports a bot by its id in the demo', { by: 'host', bad: UNSEEN_BOT, good: /, bot: recorded$/ }],
  ['drifts', 'game', 'it reports each change of the camera', { by: 'eyes', look: 'one player in all of a shot' }],
  ['after-death', 'game', 'it shows nobody else just after a death', { by: 'eyes', look: 'the end of the last shot' }],
  ['frames', 'game', '`host_framerate` steps playback, also for slow motion', { by: 'files' }],
  ['sound', 'game', 'sound lasts as long as its pictures', { by: 'files' }],
  ['in-step', 'game', 'sound is in step with the picture', { by: 'eyes', look: 'gunfire is heard as it flashes' }],
  ['killfeed', 'game', 'the killfeed shows the player’s kills', { by: 'files' }],
  ['clean', 'game', 'no tint, graphs, voices or HUD of the account', { by: 'eyes', look: 'the start of each shot' }],
  ['old-demos', 'game', 'a demo of before July 2026 plays', { by: 'host', bad: REFUSED, good: OLD_PLAYED }],
  ['end', 'game', 'all its programs end, by `taskkill` or the launcher’s group', { by: 'programs' }],
  ['hook', 'HLAE', 'its arguments load its hook', { by: 'console', bad: NO_HOOK }],
  ['launcher', 'HLAE', 'it ends once the game runs', { by: 'hand', look: 'HLAE.exe is gone while the game runs' }],
  ['password', 'HLAE', 'the console asks for its password', { by: 'console', bad: /for no pass/, good: /^This.*PASS/ }],
  ['quote', 'HLAE', '`{QUOTE}` means a quote in a preset', { by: 'console', bad: NO_PICTURES }],
  ['wav', 'HLAE', 'sound is in `takeNNNN/audio.wav`', { by: 'files' }],
  ['log', 'plugin', 'its log has each command that ran', { by: 'plugin', bad: /plugin (did|loaded,)/ }],
  ['films', 'plugin', 'films are in the place and format that the host reads', { by: 'host', bad: NO_FILM }],
  ['task', 'Windows', 'the scheduled task starts the host', { by: 'hand', look: 'sign in again: the host runs' }],
];

/** A film of the plugin ends up to eleven ticks late: six are planned, and two frames of up to 2.5 ticks. */
const SECONDS_OFF = 0.25;

/** Returns whether a shot confirms some assumptions, and what shows it; null if it shows nothing. */
function judgeShot(shot: TrialShot, lines: readonly TrialLine[]): Record<string, readonly [boolean | null, string]> {
  const { steamId, frames, wantedFrames, soundSeconds, wantedSeconds, killfeed, sound } = shot;
  const report = lines.find(({ from, text }) => from === 'report' && text.startsWith(`${steamId} `));
  const excess = (frames / wantedFrames - 1) * wantedSeconds;
  const long = `${soundSeconds.toFixed(2)} s of sound for ${wantedSeconds.toFixed(2)} s`;
  return {
    reports: [report !== undefined, report?.text ?? `no report of ${steamId}`],
    frames: [frames >= wantedFrames - 1 && excess <= SECONDS_OFF, `${frames} of ${wantedFrames} frames`],
    sound: [Math.abs(soundSeconds - wantedSeconds) <= SECONDS_OFF, long],
    killfeed: [killfeed === 'unjudged' ? null : killfeed === 'seen', `killfeed ${killfeed}`],
    wav: [/^take\d{4}[\\/]audio\.wav$/.test(sound), sound],
  };
}

/** Judges an assumption by a trial with its recorder. */
function judge([id, , , how]: Assumption, { lines, shots, programs }: Trial): Ruling {
  const rule = (isRight: boolean, shown: string): Ruling => ({ verdict: isRight ? 'holds' : 'does not', shown });
  const notSeen: Ruling = { verdict: 'not seen', shown: 'look' in how ? `look: ${how.look}` : 'nothing shows it' };
  const said = lines.filter(({ from }) => from === how.by).map(({ text }) => text);
  if ('bad' in how) {
    const bad = lines.find(({ from, text }) => (from === how.by || from === 'host') && how.bad.test(text));
    const isSilent = how.by !== 'host' && said.length === 0;
    const shot = isSilent ? undefined : shots[0]?.name;
    const good = how.good === undefined ? shot : said.find((text) => how.good?.test(text));
    return bad !== undefined ? rule(false, bad.text) : good === undefined ? notSeen : rule(true, good);
  }
  if (how.by === 'programs') {
    const left = programs?.split('\n').find((line) => /^"?cs2(\.exe)?\b/i.test(line.trim()));
    return shots.length === 0 || programs === null ? notSeen : rule(left === undefined, left ?? 'no cs2 is left');
  }
  const judged = shots.flatMap((shot) => {
    const [isRight = null, shown = ''] = judgeShot(shot, lines)[id] ?? [];
    return isRight === null ? [] : [rule(isRight, `${shot.name}: ${shown}`)];
  });
  return judged.find(({ verdict }) => verdict === 'does not') ?? judged[0] ?? notSeen;
}

/** Judges what is assumed of a recorder, and of the game. */
export function judgeAll(trial: Trial, recorder: 'hlae' | 'plugin'): JudgedAssumption[] {
  const own = ASSUMPTIONS.filter(([, of]) => of === 'game' || (of === 'plugin') === (recorder === 'plugin'));
  return own.map((one) => ({ id: one[0], text: one[2], only_game: one[1] !== 'Windows', ...judge(one, trial) }));
}
