import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { loadDemo } from './fake-demo.ts';
import { CHAT } from './fake-faults.ts';
import { createStandIn, FIRST_TICK_HEARD, TICK_RATE } from './fake-stand-in.ts';
import { encodeTake, wavOf } from './pictures.ts';

/**
 * A fake of launcher and game: takes HLAE's arguments, answers on the console port, plays a demo's ticks, records real
 * video through ffmpeg with tick and player in the pixels, and posts whom it shows. It is as strict as the game is
 * known to be (`commands.ts` names the sources). Commands below tick 96, and camera commands while paused or on the
 * tick of a seek, are lost. Scheduled commands stay and run in the first frame whose tick is over theirs: all that a
 * jump ahead passes, none on the way back. Both ticks are fractions (advancedfx 3e860f5b: `CommandSystem.cpp` reads the
 * command's by `atof`, `AfxHookSource2/main.cpp` adds the interpolation to the demo's, as a float). A seek takes time,
 * ends paused or playing, and leaves the camera anywhere. A camera that is not held wanders off. Outlines during a seek
 * crash it. Its console answers only clients with its password. Until HLAE's `mirv_cvar_unhide_all` (there, `main.cpp`)
 * it ignores all settings: which of them an engine hides differs from build to build. On Linux the plugin itself unhides
 * them when it loads (cs-demo-manager 8961f507, `main.cpp`).
 */
const launch = process.argv.slice(2);
const argument = (name: string): string => launch[launch.indexOf(name) + 1] ?? '';
const gameDir = join(dirname(argument('-programPath')), '..', '..', '..');
const game = createStandIn(gameDir, argument('-cmdLine').split(' '), crash);
const { modes, isHard, random, note, state, value, width, height } = game;
if (modes.has('broken-launcher')) {
  process.stderr.write('hook not found\n');
  process.exit(3);
}

/** The settings that this game knows. */
const SETTINGS: ReadonlySet<string> = new Set(['host_framerate', 'spec_show_xray', 'cl_drawhud_force_deathnotices']);
/** Clients that have sent the password. */
const consoles = new Set<Socket>();
/** Memory that a leaking game keeps. */
const kept: Buffer[] = [];
/** Lines that wait for the next frame, and their bytes. More than Source's command buffer holds are lost. */
let waiting: string[] = [];
let waitingBytes = 0;
const BUFFER_BYTES = 8192;
let turns = 0;
let seekTurns = 0;
let seekTarget: number | null = null;
let asked = 0;
let scheduled: { tick: number; commands: string }[] = [];
let locked: number | null = null;
let isScriptLoaded = false;
let isUnhidden = false;
let framesUnheld = 0;
let recordFps = 0;
let name = '';
let codec = '';
let frames: Uint8Array[] | null = null;
let firstTick = 0;
let takes = 0;

function print(line: string): void {
  for (const one of consoles) one.write(`${line}\r\n`);
}

function run(command: string): void {
  const [head = '', ...rest] = command.trim().split(/\s+/);
  const text = rest.join(' ');
  const isMoving = !state.isPaused && seekTarget === null && state.position !== state.lastSeek;
  if (head.startsWith('mirv_') && modes.has('no-hook')) {
    print(`Unknown command '${head}'!`);
    return;
  }
  if (head === 'mirv_cvar_unhide_all') isUnhidden = !modes.has('stays-hidden');
  if (SETTINGS.has(head) && !isUnhidden) return;
  if (head === 'echo') print(isHard ? `[Console] ${text}` : text);
  if (head === 'playdemo') playDemo(/"(.*)"/.exec(command)?.[1] ?? '');
  if (head === 'demo_gototick') seek(Number(rest[0]), rest[2] !== undefined);
  if (head === 'demo_pause') state.isPaused = true;
  if (head === 'demo_resume' && seekTarget === null) state.isPaused = false;
  if (head === 'host_framerate') state.framerate = Number(text);
  if (head === 'spec_show_xray') state.xray = text === '1';
  if (head === 'cl_drawhud_force_deathnotices') state.deathnotices = Number(text);
  if (command === 'mirv_deathmsg clear') state.noticesSince = state.position;
  if (head === 'spec_mode' && isMoving) state.isFirstPerson = text === '1';
  if (head === 'spec_player' && isMoving && !modes.has('wrong-player')) game.spectate(Number(text) - 1);
  if (head === 'mirv_script_load') isScriptLoaded = existsSync(/"(.*)"/.exec(command)?.[1] ?? '');
  if (head === 'mirv_script_spec_lock' && isScriptLoaded) locked = Number(text) === 0 ? null : Number(text) - 1;
  if (head === 'quit' && !modes.has('stubborn')) process.exit(0);
  if (head === 'mirv_cmd' && rest[0] === 'clear') scheduled = [];
  const added = /^mirv_cmd addAtTick ([\d.]+) "(.*)"$/.exec(command);
  if (added !== null) scheduled.push({ tick: Number(added[1]), commands: added[2] ?? '' });
  if (head === 'mirv_streams') streams(command, rest);
}

function playDemo(path: string): void {
  asked++;
  if (modes.has('incompatible')) print('[Client] Disconnecting from server: NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE');
  if (modes.has('no-baseline')) {
    print('FATAL ERROR: GetClassBaseline: m_baselinehandles.find(35) Failed for class CCSGOViewModel.');
    process.exit(1);
  }
  if (modes.has('asks')) game.ask('Engine Error');
  if (modes.has('never-plays') || (modes.has('plays-when-asked-twice') && asked === 1)) return;
  note('load');
  if (modes.has('grows')) kept.push(Buffer.alloc(64 << 20, 1));
  void loadDemo(path).then((loaded) => {
    if (loaded.lastTick === game.crashesOn) crash();
    state.demo = loaded;
    state.position = 0;
    state.isPaused = false;
  });
}

function seek(target: number, isToldToGoOn: boolean): void {
  game.beginSeek(target, isToldToGoOn);
  if (modes.has('lost-seek')) return;
  seekTarget = target;
  seekTurns = target < state.position ? 5 : 3;
}

function land(target: number): void {
  if (target > state.position) runScheduled(state.position, target);
  seekTarget = null;
  state.position = target;
  state.lastSeek = target;
  state.isPaused = state.faults.landsPaused;
  game.landed();
}

function streams(command: string, [verb, what]: readonly string[]): void {
  if (verb === 'settings') codec = /"(.*)"$/.exec(command)?.[1] ?? '';
  if (verb !== 'record') return;
  if (what === 'fps') recordFps = Number(command.split(' ').at(-1));
  if (what === 'name') name = /"(.*)"$/.exec(command)?.[1] ?? '';
  if (what === 'start' && frames === null) {
    takes++;
    if (state.faults.crash) crash();
    frames = [];
    firstTick = state.position;
  }
  if (what === 'end' && frames !== null) writeTake(frames);
}

function crash(): never {
  writeFileSync(join(gameDir, 'game/bin/win64/cs2_2026_0401.mdmp'), 'MDMP');
  process.exit(139);
}

function writeTake(recorded: Uint8Array[]): void {
  const { sound, noPictures, framesLost, wrongSize } = state.faults;
  frames = null;
  note(`take ${recorded.length}`);
  const folder = join(name, 'take0000');
  mkdirSync(folder, { recursive: true });
  const seconds = (state.position - firstTick) / TICK_RATE;
  if (sound !== 'missing') {
    writeFileSync(join(folder, 'audio.wav'), wavOf(sound === 'short' ? seconds / 2 : seconds, sound));
  }
  if (noPictures) return;
  const kept = recorded.slice(0, Math.max(1, recorded.length - Math.round(framesLost(recorded.length))));
  const error = encodeTake(codec, kept, { width, height, fps: recordFps, isWrong: wrongSize });
  if (error !== null) print(`mirv_streams: error: ${error}`);
}

function runScheduled(from: number, to: number): void {
  const [last, now] = [Math.fround(from), Math.fround(to)];
  const due = now < FIRST_TICK_HEARD ? [] : scheduled.filter(({ tick }) => tick >= last && now > tick);
  for (const { commands } of due.toSorted((a, b) => a.tick - b.tick)) {
    if (state.faults.dropsMarker(commands, random)) continue;
    commands.split(';').forEach(run);
  }
}

/** A camera that the script holds is set each frame. One that was set once wanders off. */
function moveCamera(): void {
  if (locked === null || modes.has('wrong-player')) {
    framesUnheld++;
    // If a seek leaves the camera on the player, a report says so before it wanders off.
    if (framesUnheld === 6 && modes.has('stays')) game.report();
    if (framesUnheld === (modes.has('stays') ? 8 : 20) && !modes.has('wrong-player')) game.showAnother();
    return;
  }
  framesUnheld = 0;
  if (state.driftFrames > 0 && --state.driftFrames > 0) return;
  run(`spec_player ${locked + 1}`);
}

/** Plays one frame: advances the time, runs due commands, then records the picture. */
function frame(): void {
  const before = state.position;
  state.position += game.step();
  runScheduled(before, state.position);
  if (state.isPaused || state.isStuck) return;
  moveCamera();
  if (frames === null) return;
  const picture = game.picture(frames.length, takes, frames.at(-1) ?? null);
  if (picture !== null) frames.push(picture);
}

function turn(): void {
  const { demo } = state;
  // A frame of the console is some turns long.
  if (!state.isStuck && turns++ % 8 === 0) runWaiting();
  if (state.isStuck || demo === null) return;
  game.idle(!state.isPaused && state.position >= 0);
  if (seekTarget !== null) {
    if (seekTurns-- <= 0) land(seekTarget);
    return;
  }
  if (isHard && random() < 0.05) print(CHAT[Math.floor(random() * CHAT.length)] ?? '');
  for (let i = 0; i < 16 && state.position >= 0 && !state.isPaused && !state.isStuck && seekTarget === null; i++) {
    frame();
    // Past its last tick the game closes the demo.
    if (state.position >= demo.lastTick) state.position = -1;
  }
}

/** Handles one console line. As in Source 1's `netconsole.cpp`, a wrong password disconnects a client. */
function hear(line: string, from: Socket): void {
  const password = modes.has('takes-no-password') ? '' : value('-netconpassword');
  if (line.startsWith('PASS ')) {
    game.logCommand(line);
    if (line.slice('PASS '.length) === password) consoles.add(from);
    else consoles.delete(from);
    return;
  }
  if (!consoles.has(from)) {
    from.write('This server is password protected for console access. Must send PASS command\n\r');
    return;
  }
  game.logCommand(line);
  if (state.isStuck) return;
  // Repeated commands do not count as activity.
  if (!/^(demo_resume|spec_mode|mirv_script_spec_lock)/.test(line)) game.wake();
  // A console shows what was typed.
  print(`] ${line}`);
  if (waitingBytes + line.length >= BUFFER_BYTES) return;
  waitingBytes += line.length + 1;
  waiting.push(line);
}

function runWaiting(): void {
  const lines = waiting;
  waiting = [];
  waitingBytes = 0;
  lines.forEach(run);
}

function listen(): void {
  const server = createServer((connection) => {
    if (modes.has('mute')) return;
    if (modes.has('takes-no-password')) consoles.add(connection);
    let rest = '';
    connection.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) hear(line, connection);
    });
    connection.on('error', () => {}).on('close', () => consoles.delete(connection));
  });
  server.listen(Number(value('-netconport')), '127.0.0.1');
}

if (!modes.has('deaf')) listen();
game.run(turn);
