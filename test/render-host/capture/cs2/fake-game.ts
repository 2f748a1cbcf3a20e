import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { createRandom } from '../../../../demo-writer/script/random.ts';
import { findFfmpeg } from '../../../../render-host/encode/ffmpeg.ts';
import { type LoadedDemo, loadDemo } from './fake-demo.ts';
import { CHAT, type Faults, pickFaults } from './fake-faults.ts';
import { blackPicture, encodeTake, paintPicture, wavOf } from './pictures.ts';
import { CLOCK_SPEED } from './test-timers.ts';

/**
 * Stands for launcher and game: takes HLAE's arguments, answers on the console port as the game does, plays a demo's
 * ticks, records real video through ffmpeg with tick and player in the pixels, and posts whom it shows. It is as
 * strict as the game where the game is known to be (docs/cs2-commands.md names who says so): commands below tick 96,
 * and camera commands while paused or on the tick of a seek, are lost; scheduled commands stay and run at the first
 * frame past their tick, all of them that a jump ahead passes, none on the way back; a seek takes its time, lands
 * paused or playing, and leaves the camera anywhere; a camera that nothing holds wanders off; outlines during a seek
 * crash it.
 *
 * `+fake a,b` among the game's arguments makes it misbehave; `seed=n` leaves that to chance. Its folder gets
 * `commands.log`, `events.log`, `pid`, `environment` (the names in it), `up` once it is, and `stuck` when it hangs.
 */
const value = (list: readonly string[], name: string): string => list[list.indexOf(name) + 1] ?? '';
const launch = process.argv.slice(2);
const game = value(launch, '-cmdLine').split(' ');
const gameDir = join(dirname(value(launch, '-programPath')), '..', '..', '..');
const modes = new Set(game.includes('+fake') ? value(game, '+fake').split(',') : []);
const width = Number(value(game, '-width'));
const height = Number(value(game, '-height'));
const seed = Number([...modes].find((mode) => mode.startsWith('seed='))?.slice(5) ?? 1);
const isHard = [...modes].some((mode) => mode.startsWith('seed='));
const STUCK = join(gameDir, 'stuck');
const EVENTS = join(gameDir, 'events.log');
const starts = existsSync(EVENTS) ? readFileSync(EVENTS, 'utf8').split('start').length : 0;
const random = createRandom(seed + starts).next;
const FIRST_TICK_HEARD = 96;
const TICK_RATE = 64;
/** Nothing has moved, and nothing was asked, for so many turns: then only a watchdog helps. */
const IDLE_TURNS = 600;
const NOBODY = 63;

const note = (event: string): void => appendFileSync(EVENTS, `${event}\n`);
writeFileSync(join(gameDir, 'pid'), `${process.pid}`);
writeFileSync(join(gameDir, 'environment'), Object.keys(process.env).join('\n'));
if (modes.has('broken-launcher')) {
  process.stderr.write('hook not found\n');
  process.exit(3);
}
rmSync(STUCK, { force: true });
note('start');
const ffmpeg = await findFfmpeg(process.env);
const report = readReportConfig();

let socket: Socket | null = null;
let demo: LoadedDemo | null = null;
/** Where playback is; frames lie between ticks. */
let position = -1;
let isPaused = false;
let isStuck = false;
let idleTurns = 0;
let seekTurns = 0;
let seekTarget: number | null = null;
let lastSeek = -1;
let asked = 0;
let scheduled: { tick: number; commands: string }[] = [];
let xray = false;
let isFirstPerson = false;
let slot = NOBODY;
let locked: number | null = null;
let isScriptLoaded = false;
let framesUnheld = 0;
let driftFrames = 0;
let framerate = 0;
let recordFps = 0;
let name = '';
let codec = '';
let frames: Uint8Array[] | null = null;
let firstTick = 0;
let takes = 0;
let faults: Faults = pickFaults(modes, isHard, random);

function print(line: string): void {
  socket?.write(`${line}\r\n`);
}

function readReportConfig(): { uri: string; token: string } {
  const text = readFileSync(join(gameDir, 'game/csgo/cfg/gamestate_integration_tickreel.cfg'), 'utf8');
  const found = (key: string): string => new RegExp(`"${key}" "([^"]+)"`).exec(text)?.[1] ?? '';
  return { uri: found('uri'), token: found('token') };
}

let posts: Promise<unknown> = Promise.resolve();
let pending = 0;
function postState(): void {
  if (demo === null || position < 0 || modes.has('no-reports') || isStuck) return;
  const steamId = demo.steamIdAt(slot, position);
  const player = steamId === null ? {} : { player: { steamid: steamId } };
  const timestamp = Math.floor((Date.now() * CLOCK_SPEED) / 1000);
  const body = JSON.stringify({ provider: { appid: 730, timestamp }, ...player, auth: { token: report.token } });
  pending++;
  posts = posts.then(() => fetch(report.uri, { method: 'POST', body }).catch(() => {})).then(() => pending--);
}

function show(next: number): void {
  const isNew = next !== slot;
  slot = next;
  if (isNew) postState();
}

function anotherThan(taken: number): number {
  const others = [...(demo?.slots ?? []), NOBODY].filter((one) => one !== taken);
  return others[Math.floor(random() * others.length)] ?? NOBODY;
}

function run(command: string): void {
  const [head = '', ...rest] = command.trim().split(/\s+/);
  const text = rest.join(' ');
  const isMoving = !isPaused && seekTarget === null && position !== lastSeek;
  if (head.startsWith('mirv_') && modes.has('no-hook')) {
    print(`Unknown command '${head}'!`);
    return;
  }
  if (head === 'echo') print(isHard ? `[Console] ${text}` : text);
  if (head === 'playdemo') playDemo(/"(.*)"/.exec(command)?.[1] ?? '');
  if (head === 'demo_gototick') seek(Number(rest[0]), rest[2]);
  if (head === 'demo_pause') isPaused = true;
  if (head === 'demo_resume' && seekTarget === null) isPaused = false;
  if (head === 'host_framerate') framerate = Number(text);
  if (head === 'spec_show_xray') xray = text === '1';
  if (head === 'spec_mode' && isMoving) isFirstPerson = text === '1';
  if (head === 'spec_player' && isMoving && !modes.has('wrong-player')) show(Number(text) - 1);
  if (head === 'mirv_script_load') isScriptLoaded = existsSync(/"(.*)"/.exec(command)?.[1] ?? '');
  if (head === 'mirv_script_spec_lock' && isScriptLoaded) locked = Number(text) === 0 ? null : Number(text) - 1;
  if (head === 'quit' && !modes.has('stubborn')) process.exit(0);
  if (head === 'mirv_cmd' && rest[0] === 'clear') scheduled = [];
  const added = /^mirv_cmd addAtTick (\d+) "(.*)"$/.exec(command);
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
  if (modes.has('never-plays') || (modes.has('plays-when-asked-twice') && asked === 1)) return;
  note('load');
  void loadDemo(path).then((loaded) => {
    demo = loaded;
    position = 0;
    isPaused = false;
    slot = NOBODY;
  });
}

function seek(target: number, pause?: string): void {
  if (xray) crash();
  note(`seek ${target < position ? 'back' : 'ahead'} ${Math.abs(target - position)}`);
  isPaused = true;
  if (modes.has('lost-seek')) return;
  seekTarget = target;
  seekTurns = target < position ? 5 : 3;
  faults = pickFaults(modes, isHard, random);
  if (pause === undefined || faults.landsAsItLikes) faults = { ...faults, landsPaused: random() < 0.5 };
}

function land(target: number): void {
  if (target > position) runScheduled(position, target);
  seekTarget = null;
  position = target;
  lastSeek = target;
  isPaused = faults.landsPaused;
  isFirstPerson = false;
  show(modes.has('wrong-player') ? NOBODY : anotherThan(slot));
}

function streams(command: string, [verb, what]: readonly string[]): void {
  if (verb === 'settings') codec = /"(.*)"$/.exec(command)?.[1] ?? '';
  if (verb !== 'record') return;
  if (what === 'fps') recordFps = Number(command.split(' ').at(-1));
  if (what === 'name') name = /"(.*)"$/.exec(command)?.[1] ?? '';
  if (what === 'start' && frames === null) {
    takes++;
    if (faults.crash) crash();
    frames = [];
    firstTick = position;
  }
  if (what === 'end' && frames !== null) writeTake(frames);
}

function crash(): never {
  writeFileSync(join(gameDir, 'game/bin/win64/cs2_2026_0401.mdmp'), 'MDMP');
  process.exit(139);
}

function writeTake(recorded: Uint8Array[]): void {
  frames = null;
  note(`take ${recorded.length}`);
  const folder = join(name, 'take0000');
  mkdirSync(folder, { recursive: true });
  const seconds = (position - firstTick) / TICK_RATE;
  if (faults.sound !== 'missing') {
    writeFileSync(join(folder, 'audio.wav'), wavOf(faults.sound === 'short' ? seconds / 2 : seconds, faults.sound));
  }
  if (faults.noPictures) return;
  const kept = recorded.slice(0, Math.max(1, recorded.length - Math.round(faults.framesLost(recorded.length))));
  const error = encodeTake(ffmpeg.path, codec, kept, { width, height, fps: recordFps, isWrong: faults.wrongSize });
  if (error !== null) print(`mirv_streams: error: ${error}`);
}

function runScheduled(from: number, to: number): void {
  const due = scheduled.filter(({ tick }) => tick > from && tick <= to && tick >= FIRST_TICK_HEARD);
  for (const { commands } of due.toSorted((a, b) => a.tick - b.tick)) {
    if (faults.dropsMarker(commands, random)) continue;
    commands.split(';').forEach(run);
  }
}

/** A camera that the script holds is set every frame; one that was only set once wanders off. */
function moveCamera(): void {
  if (locked === null || modes.has('wrong-player')) {
    if (++framesUnheld === 20 && !modes.has('wrong-player')) show(anotherThan(slot));
    return;
  }
  framesUnheld = 0;
  if (driftFrames > 0 && --driftFrames > 0) return;
  run(`spec_player ${locked + 1}`);
}

/** One frame: time goes on by a step of the recording, or by what the clock says; then the picture is taken. */
function frame(): void {
  const step = framerate > 0 ? TICK_RATE / framerate : 0.4 + random() * (isHard ? 2.5 : 0.8);
  const before = position;
  position += step;
  runScheduled(before, position);
  if (isPaused || isStuck) return;
  moveCamera();
  if (frames === null) return;
  const at = frames.length;
  if (at === faults.stuckAt) {
    isStuck = true;
    writeFileSync(STUCK, '');
    return;
  }
  if (at === faults.driftAt(takes)) {
    driftFrames = faults.driftFrames;
    show(anotherThan(slot));
  }
  const frozen = at >= faults.frozenFrom ? frames.at(-1) : undefined;
  const shown = isFirstPerson ? slot : NOBODY;
  const picture = at >= faults.blackFrom ? blackPicture(width, height) : paintPicture(width, height, position, shown);
  frames.push(frozen ?? picture);
}

function turn(): void {
  if (isStuck || demo === null) return;
  idleTurns = isPaused || position < 0 ? idleTurns + 1 : 0;
  if (idleTurns === IDLE_TURNS) writeFileSync(STUCK, '');
  if (seekTarget !== null) {
    if (seekTurns-- <= 0) land(seekTarget);
    return;
  }
  if (isHard && random() < 0.05) print(CHAT[Math.floor(random() * CHAT.length)] ?? '');
  for (let i = 0; i < 16 && position >= 0 && !isPaused && !isStuck && seekTarget === null; i++) {
    frame();
    // Past its last tick the game closes the demo.
    if (position >= demo.lastTick) position = -1;
  }
}

function listen(): void {
  const server = createServer((connection) => {
    if (modes.has('mute')) return;
    socket = connection;
    let rest = '';
    connection.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        appendFileSync(join(gameDir, 'commands.log'), `${line}\n`);
        if (isStuck) continue;
        if (idleTurns >= IDLE_TURNS) rmSync(STUCK, { force: true });
        // What is only said again and again brings nothing on.
        if (!/^(demo_resume|spec_mode|mirv_script_spec_lock)/.test(line)) idleTurns = 0;
        // A console shows what was typed.
        print(`] ${line}`);
        run(line);
      }
    });
    connection.on('error', () => {});
  });
  server.listen(Number(value(game, '-netconport')), '127.0.0.1');
}

if (!modes.has('deaf')) listen();
writeFileSync(join(gameDir, 'up'), '');
setInterval(turn, 2);
setInterval(() => pending === 0 && postState(), 20);
