import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createRandom } from '#demo-writer/script/random.ts';
import type { LoadedDemo } from './fake-demo.ts';
import { type Faults, pickFaults } from './fake-faults.ts';
import { blackPicture, paintPicture } from './pictures.ts';

export const TICK_RATE = 64;
export const FIRST_TICK_HEARD = 96;
const NOBODY = 63;
/** Nothing has moved, and nothing was asked, for so many turns: then only a watchdog helps. */
const IDLE_TURNS = 600;

/**
 * What both stand-in games have: arguments, notes of what they did, a demo and where it is, a camera with its reports,
 * and pictures with their faults. `+fake a,b` among the arguments makes a game misbehave; `seed=n` leaves that to
 * chance, `clock=n` makes its seconds shorter. Its folder gets `commands.log`, `events.log`, `pid`, `environment` (the
 * names in it), `up` once it is, `stuck` when it hangs, and `windows` while a dialog of its own waits.
 */
export function createStandIn(gameDir: string, args: readonly string[], crash: () => never) {
  const value = (name: string): string => (args.includes(name) ? (args[args.indexOf(name) + 1] ?? '') : '');
  const modes = new Set(value('+fake').split(','));
  const numberOf = (name: string): number | null => {
    const found = [...modes].find((mode) => mode.startsWith(`${name}=`));
    return found === undefined ? null : Number(found.slice(name.length + 1));
  };
  const isHard = numberOf('seed') !== null;
  const seed = numberOf('seed') ?? 1;
  /** How much faster than the machine's its clock goes. */
  const clock = numberOf('clock') ?? 1;
  const [width, height] = [Number(value('-width')), Number(value('-height'))];
  const events = join(gameDir, 'events.log');
  const starts = existsSync(events) ? readFileSync(events, 'utf8').split('start\n').length : 0;
  const { next: random } = createRandom(seed * 1000 + starts);
  const stuck = join(gameDir, 'stuck');
  const note = (event: string): void => appendFileSync(events, `${event}\n`);
  for (const left of [stuck, join(gameDir, 'windows')]) rmSync(left, { force: true });
  writeFileSync(join(gameDir, 'pid'), `${process.pid}`);
  writeFileSync(join(gameDir, 'environment'), Object.keys(process.env).join('\n'));
  note('start');
  const report = readReportConfig(gameDir);

  const state = {
    demo: null as LoadedDemo | null,
    /** Where playback is; frames lie between ticks. */
    position: -1,
    isPaused: false,
    isStuck: false,
    lastSeek: -1,
    idleTurns: 0,
    xray: false,
    isFirstPerson: false,
    slot: NOBODY,
    /** Who sat there when it was last looked. */
    seen: null as string | null,
    driftFrames: 0,
    framerate: 0,
    faults: pickFaults(modes, isHard, random) as Faults,
    /** Reports that have gone out, and those on their way. */
    posted: 0,
    pending: 0,
  };
  let posts: Promise<unknown> = Promise.resolve();

  function postState(): void {
    const { demo, position, slot } = state;
    if (demo === null || position < 0 || modes.has('no-reports') || state.isStuck) return;
    const steamId = demo.steamIdAt(slot, position);
    const player = steamId === null ? {} : { player: { steamid: steamId } };
    const timestamp = Math.floor((Date.now() * clock) / 1000);
    const body = JSON.stringify({ provider: { appid: 730, timestamp }, ...player, auth: { token: report.token } });
    state.pending++;
    posts = posts
      .then(() => post(report.uri, body))
      .then(() => {
        state.pending--;
        state.posted++;
      });
  }

  /** Every change is reported, also of who sits where the camera looks. */
  function notice(): void {
    const seen = state.demo?.steamIdAt(state.slot, state.position) ?? null;
    if (seen !== state.seen) postState();
    state.seen = seen;
  }

  function show(next: number): void {
    state.slot = next;
    notice();
  }

  function showAnother(): void {
    const others = [...(state.demo?.slots ?? []), NOBODY].filter((one) => one !== state.slot);
    show(others[Math.floor(random() * others.length)] ?? NOBODY);
  }

  function hang(): void {
    state.isStuck = true;
    writeFileSync(stuck, '');
  }

  return {
    ...{ value, modes, isHard, seed, clock, width, height, starts, random, note, state, show, showAnother, hang },
    logCommand: (line: string): void => appendFileSync(join(gameDir, 'commands.log'), `${line}\n`),
    /** Nothing has happened: the game waits, and says so after a while. */
    idle(isGoing: boolean): void {
      state.idleTurns = isGoing ? 0 : state.idleTurns + 1;
      if (state.idleTurns === IDLE_TURNS) writeFileSync(stuck, '');
    },
    /** Somebody has asked for something. */
    wake(): void {
      if (state.idleTurns >= IDLE_TURNS) rmSync(stuck, { force: true });
      state.idleTurns = 0;
    },
    /** Hangs with a window in front that somebody would have to close. */
    ask(title: string): void {
      writeFileSync(join(gameDir, 'windows'), `     0x1400003 "${title}": ("cs2" "cs2")  480x300+0+0  +10+10\n`);
      hang();
    },
    /** Playback stands, and what goes wrong until the next seek is drawn anew. */
    beginSeek(target: number, isToldToGoOn: boolean): void {
      if (state.xray) crash();
      note(`seek ${target < state.position ? 'back' : 'ahead'} ${Math.floor(Math.abs(target - state.position))}`);
      state.isPaused = true;
      const faults = pickFaults(modes, isHard, random);
      const isAnyhow = faults.landsAsItLikes || !isToldToGoOn;
      const landsPaused = isAnyhow ? modes.has('lands-paused') || random() < 0.5 : faults.landsPaused;
      state.faults = { ...faults, landsPaused };
    },
    land(target: number): void {
      state.position = target;
      state.lastSeek = target;
      // To the start of a demo the plugin goes by itself; a pause there would end every peer's recording.
      state.isPaused = target > 0 && state.faults.landsPaused;
      state.isFirstPerson = false;
      if (modes.has('wrong-player')) show(NOBODY);
      else if (!modes.has('stays')) showAnother();
    },
    report: postState,
    /** How far a frame goes: a step of the recording, or what the clock says. */
    step: (): number => (state.framerate > 0 ? TICK_RATE / state.framerate : 0.4 + random() * (isHard ? 2.5 : 0.8)),
    /** The picture of frame `at` of the take of that number; null when the game hangs at it. */
    picture(at: number, take: number, last: Uint8Array | null, scale = 1): Uint8Array | null {
      const { faults, position } = state;
      if (at === faults.stuckAt) {
        hang();
        return null;
      }
      if (at === faults.driftAt(take)) {
        state.driftFrames = faults.driftFrames;
        showAnother();
      }
      if (at >= faults.frozenFrom && last !== null) return last;
      const [w, h] = [width * scale, height * scale];
      if (at >= faults.blackFrom) return blackPicture(w, h);
      return paintPicture(w, h, position, state.isFirstPerson ? state.slot : NOBODY);
    },
    /** From now on, `turn` runs again and again, and reports go out. */
    run(turn: () => void): void {
      writeFileSync(join(gameDir, 'up'), '');
      setInterval(() => {
        turn();
        notice();
      }, 2);
      setInterval(() => state.pending === 0 && postState(), 1000 / clock);
    },
  };
}

const agent = new Agent({ keepAlive: true });

/** Resolves once it is answered, or failed. */
function post(uri: string, body: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(uri, { method: 'POST', agent }, (response) => response.resume().on('end', resolve));
    sent.on('error', () => resolve()).end(body);
  });
}

/** Where to report to, and with what secret. */
function readReportConfig(gameDir: string): { uri: string; token: string } {
  const text = readFileSync(join(gameDir, 'game/csgo/cfg/gamestate_integration_tickreel.cfg'), 'utf8');
  const found = (key: string): string => new RegExp(`"${key}" "([^"]+)"`).exec(text)?.[1] ?? '';
  return { uri: found('uri'), token: found('token') };
}
