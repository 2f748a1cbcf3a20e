import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createRandom } from '#demo-writer/script/random.ts';
import type { LoadedDemo } from './fake-demo.ts';
import { type Faults, pickFaults } from './fake-faults.ts';
import { blackPicture, paintNotice, paintPicture } from './pictures.ts';

export const TICK_RATE = 64;
export const FIRST_TICK_HEARD = 96;
const NOBODY = 63;
/** After so many turns without a change or a command, only a watchdog helps. */
const IDLE_TURNS = 600;

/** A window is no larger than its screen. */
const SCREEN = { '-width': 2560, '-height': 1440 };

/**
 * What both fake games share: arguments, records of what they did, a demo and its position, a camera with its reports,
 * and pictures with their faults. `+fake a,b` in the arguments enables faults; `seed=n` chooses them at random,
 * `clock=n` makes seconds shorter. The game's folder gets `commands.log`, `events.log`, `pid`, `environment` (its
 * names), `up` once it runs, `stuck` when it hangs, and `windows` while it shows a dialog.
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
  /** The speed of its clock relative to the machine's. */
  const clock = numberOf('clock') ?? 1;
  // With its own video settings, the game ignores the size of its arguments.
  const scale = keepsVideoConfig() ? 1 : 0.5;
  const side = (name: '-width' | '-height'): number => Math.min(Number(value(name)), SCREEN[name]) * scale;
  const [width, height] = [side('-width'), side('-height')];
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
    /** The position of playback; frames are between ticks. */
    position: -1,
    isPaused: false,
    isStuck: false,
    /** The plugin's sleep stops the whole game. */
    isFrozen: false,
    lastSeek: -1,
    idleTurns: 0,
    xray: false,
    isFirstPerson: false,
    slot: NOBODY,
    /** Who had that slot at the last check. */
    seen: null as string | null,
    driftFrames: 0,
    framerate: 0,
    /** `cl_drawhud_force_deathnotices`. */
    deathnotices: 0,
    /** Kills before this tick have no notice. */
    noticesSince: 0,
    faults: pickFaults(modes, isHard, random) as Faults,
    /** Reports that were sent, and those being sent. */
    posted: 0,
    pending: 0,
  };
  let posts: Promise<unknown> = Promise.resolve();

  function postState(): void {
    const { demo, position, slot } = state;
    if (demo === null || position < 0 || modes.has('no-reports') || state.isStuck || state.isFrozen) return;
    const steamId = demo.steamIdAt(slot, position);
    const player = steamId === null ? {} : { player: { steamid: steamId } };
    const timestamp = Math.floor((Date.now() * clock) / 1000);
    const map = { name: 'de_test', phase: 'live' };
    const body = JSON.stringify({ provider: { appid: 730, timestamp }, map, ...player, auth: { token: report.token } });
    state.pending++;
    posts = posts
      .then(() => post(report.uri, body))
      .then(() => {
        state.pending--;
        state.posted++;
      });
  }

  /** Reports each change, also of who has the slot of the camera. */
  function notice(): void {
    const seen = state.demo?.steamIdAt(state.slot, state.position) ?? null;
    if (seen !== state.seen) postState();
    state.seen = seen;
  }

  function show(next: number): void {
    state.slot = next;
    notice();
  }

  function deadSince(slot: number): number | null {
    return state.demo?.deadSince(slot, state.position) ?? null;
  }

  function showAnother(): void {
    const others = [...(state.demo?.slots ?? []), NOBODY].filter((one) => one !== state.slot);
    show(others[Math.floor(random() * others.length)] ?? NOBODY);
  }

  /** Returns the kills that have a notice, newest last. */
  function notices(): number[] {
    const { demo, position, deathnotices, noticesSince } = state;
    if (deathnotices < 0 || modes.has('no-killfeed')) return [];
    if (modes.has('killfeed-frozen')) return [0];
    const late = modes.has('killfeed-late') ? 2 * TICK_RATE : 0;
    const isShown = (tick: number): boolean => tick + late <= position && position < tick + late + 5 * TICK_RATE;
    return (demo?.kills ?? []).filter((tick) => tick >= noticesSince && isShown(tick));
  }

  function hang(): void {
    state.isStuck = true;
    writeFileSync(stuck, '');
  }

  return {
    value,
    modes,
    isHard,
    seed,
    clock,
    width,
    height,
    starts,
    random,
    note,
    state,
    showAnother,
    hang,
    /** The last tick of the demo that crashes the game while it loads. */
    crashesOn: numberOf('crashes-on'),
    logCommand: (line: string): void => appendFileSync(join(gameDir, 'commands.log'), `${line}\n`),
    /** Waits without activity, and records it after a while. */
    idle(isGoing: boolean): void {
      state.idleTurns = isGoing ? 0 : state.idleTurns + 1;
      if (state.idleTurns === IDLE_TURNS) writeFileSync(stuck, '');
    },
    /** Records activity. */
    wake(): void {
      if (state.idleTurns >= IDLE_TURNS) rmSync(stuck, { force: true });
      state.idleTurns = 0;
    },
    /** Hangs with a dialog of Steam, or of the game: SDL gives a message box no class (`SDL_x11messagebox.c`). */
    ask(title: string): void {
      const owner = title.startsWith('Steam') ? '"steam" "steam"' : '';
      writeFileSync(join(gameDir, 'windows'), `     0x1400003 "${title}": (${owner})  480x300+0+0  +10+10\n`);
      hang();
    },
    /** Stops playback, and chooses the faults until the next seek. */
    beginSeek(target: number, isToldToGoOn: boolean): void {
      if (state.xray) crash();
      note(`seek ${target < state.position ? 'back' : 'ahead'} ${Math.floor(Math.abs(target - state.position))}`);
      state.isPaused = true;
      const faults = pickFaults(modes, isHard, random);
      const isAnyhow = faults.landsAsItLikes || !isToldToGoOn;
      const landsPaused = isAnyhow ? modes.has('lands-paused') || random() < 0.5 : faults.landsPaused;
      state.faults = { ...faults, landsPaused };
    },
    /** A seek has ended. The camera is anywhere. */
    landed(): void {
      state.noticesSince = state.position;
      state.isFirstPerson = false;
      if (modes.has('wrong-player')) show(NOBODY);
      else if (!modes.has('stays')) showAnother();
    },
    report: postState,
    /** Handles `spec_player`. It does nothing for the dead (source-sdk-2013 0759e2e8 `hltvcamera.cpp`). */
    spectate: (slot: number): void => (deadSince(slot) === null ? show(slot) : undefined),
    /** Returns the ticks of a frame: a step of the recording, or by the clock. */
    step: (): number => (state.framerate > 0 ? TICK_RATE / state.framerate : 0.4 + random() * (isHard ? 2.5 : 0.8)),
    /** Returns the picture of frame `at` of a take; null if the game hangs at it. */
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
      // The dead are shown from behind (`CalcInEyeCamView` there). Here the camera soon goes to another player, too.
      const since = deadSince(state.slot);
      if (since !== null && position > since + TICK_RATE / 2) showAnother();
      const isInEye = state.isFirstPerson && deadSince(state.slot) === null;
      const picture = paintPicture(w, h, position, isInEye ? state.slot : NOBODY);
      for (const [row, tick] of notices().entries()) paintNotice(picture, w, h, row, tick);
      return picture;
    },
    /** Calls `turn` again and again from now on, and sends reports. */
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

/** The keys of a complete file (5stack game-streamer 2e92922, `default.txt`). */
const VIDEO_KEYS = `Version VendorID Autoconfig setting.aspectratiomode setting.coop_fullscreen setting.cpu_level
setting.defaultres setting.defaultresheight setting.fullscreen setting.fullscreen_min_on_focus_loss setting.gpu_level
setting.gpu_mem_level setting.high_dpi setting.knowndevice setting.mat_vsync setting.monitor_index setting.msaa_samples
setting.nowindowborder setting.r_csgo_cmaa_enable setting.r_low_latency setting.r_texturefilteringquality
setting.refreshrate_denominator setting.refreshrate_numerator setting.shaderquality setting.videocfg_ao_detail
setting.videocfg_dynamic_shadows setting.videocfg_fsr_detail setting.videocfg_hdr_detail
setting.videocfg_particle_detail setting.videocfg_shadow_quality setting.videocfg_texture_detail`;

/**
 * Throws away video settings that lack a key (cs-demo-manager 8961f507, `video-config-file.ts`), and those that it may
 * write, as if they were of another card (5stack game-streamer 2e92922, `cs2-options.sh`).
 */
function keepsVideoConfig(): boolean {
  const path = join(process.env.USRLOCALCSGO ?? '', 'cfg/cs2_video.txt');
  const text = readFileSync(path, 'utf8');
  const isKept =
    (statSync(path).mode & 0o222) === 0 && VIDEO_KEYS.split(/\s/).every((key) => text.includes(`"${key}"`));
  if (!isKept) writeFileSync(path, '"video.cfg"\n{\n}\n');
  return isKept;
}

const agent = new Agent({ keepAlive: true });

/** Resolves once it is answered or has failed. */
function post(uri: string, body: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(uri, { method: 'POST', agent }, (response) => response.resume().on('end', resolve));
    sent.on('error', () => resolve()).end(body);
  });
}

/** Reads where to report to, and the secret. */
function readReportConfig(gameDir: string): { uri: string; token: string } {
  const text = readFileSync(join(gameDir, 'game/csgo/cfg/gamestate_integration_tickreel.cfg'), 'utf8');
  const found = (key: string): string => new RegExp(`"${key}" "([^"]+)"`).exec(text)?.[1] ?? '';
  return { uri: found('uri'), token: found('token') };
}
