import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../../../../demo-writer/script/random.ts';
import { type LoadedDemo, loadDemo } from './fake-demo.ts';
import { CHAT, type Faults, pickFaults } from './fake-faults.ts';
import { blackPicture, paintPicture, tgaOf, wavOf } from './pictures.ts';
import { CLOCK_SPEED } from './test-timers.ts';

/**
 * Stands for the Steam Linux Runtime, the game and cs-demo-manager's plugin in it: loads the plugin where gameinfo.gi
 * names its folder, has it run the actions beside the demo at the ticks that it sees, and films into TGA and wav, with
 * tick and player in the pixels. As strict as they are known to be: an action whose tick a frame steps over is lost; it
 * runs with the next frame; `pause_playback` holds the plugin up for two seconds, and the ticks that pass meanwhile are
 * lost on it; commands below tick 96, and camera commands while paused or on the tick of a seek, do nothing; outlines
 * during a seek crash the game.
 *
 * `+fake a,b` makes it misbehave, `seed=n` leaves that to chance; files are those of `fake-game.ts`.
 */
const argv = process.argv.slice(2);
const script = argv[argv.indexOf('--') + 1] ?? '';
const game = argv.slice(argv.indexOf('--') + 2);
const value = (name: string): string => game[game.indexOf(name) + 1] ?? '';
const gameDir = join(script, '..', '..');
const csgo = join(gameDir, 'game/csgo');
const modes = new Set(game.includes('+fake') ? value('+fake').split(',') : []);
const [width, height] = [Number(value('-width')), Number(value('-height'))];
const seed = Number([...modes].find((mode) => mode.startsWith('seed='))?.slice(5) ?? 1);
const isHard = [...modes].some((mode) => mode.startsWith('seed='));
const STUCK = join(gameDir, 'stuck');
const EVENTS = join(gameDir, 'events.log');
const LOG = join(gameDir, 'game/bin/linuxsteamrt64/csdm.log');
const FILMS = join(csgo, 'csdm/movie');
const starts = existsSync(EVENTS) ? readFileSync(EVENTS, 'utf8').split('start\n').length : 0;
const random = createRandom(seed * 1000 + starts).next;
const TICK_RATE = 64;
const FIRST_TICK_HEARD = 96;
const NOBODY = 63;
const IDLE_TURNS = 600;
/** In which reports go out, however busy the machine is. */
const PAUSE = { ms: 2000 / CLOCK_SPEED, reports: 5 };

const note = (event: string): void => appendFileSync(EVENTS, `${event}\n`);
writeFileSync(join(gameDir, 'pid'), `${process.pid}`);
writeFileSync(join(gameDir, 'environment'), Object.keys(process.env).join('\n'));
rmSync(STUCK, { force: true });
note('start');

const info = readFileSync(join(csgo, 'gameinfo.gi'), 'utf8');
const hasPlugin =
  /^\s*Game\s+csgo\/csdm\s*$/m.test(info) && existsSync(join(csgo, 'csdm/bin/linuxsteamrt64/libserver.so'));
const config = readFileSync(join(csgo, 'cfg/gamestate_integration_tickreel.cfg'), 'utf8');
const found = (key: string): string => new RegExp(`"${key}" "([^"]+)"`).exec(config)?.[1] ?? '';
const report = { uri: found('uri'), token: found('token') };
if (hasPlugin && modes.has('plugin-too-old')) {
  process.stderr.write('Could not load server lib: undefined symbol\n');
  process.exit(1);
}

let demo: LoadedDemo | null = null;
let position = -1;
let isPaused = false;
let isStuck = false;
let seek: { readonly target: number; turns: number } | null = null;
let lastSeek = -1;
let idleTurns = 0;
let queue: string[] = [];
let xray = false;
let isFirstPerson = false;
let slot = NOBODY;
let driftFrames = 0;
let framerate = 0;
let film: { readonly name: string; number: number; readonly from: number; last: Uint8Array | null } | null = null;
let films = 0;
let faults: Faults = pickFaults(modes, isHard, random);

let posts: Promise<unknown> = Promise.resolve();
let pending = 0;
let posted = 0;
function postState(): void {
  if (demo === null || position < 0 || modes.has('no-reports') || isStuck) return;
  const steamId = demo.steamIdAt(slot, position);
  const player = steamId === null ? {} : { player: { steamid: steamId } };
  const timestamp = Math.floor((Date.now() * CLOCK_SPEED) / 1000);
  const body = JSON.stringify({ provider: { appid: 730, timestamp }, ...player, auth: { token: report.token } });
  pending++;
  posts = posts
    .then(() => fetch(report.uri, { method: 'POST', body }).catch(() => {}))
    .then(() => {
      pending--;
      posted++;
    });
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

function crash(): never {
  process.exit(139);
}

function run(command: string): void {
  appendFileSync(join(gameDir, 'commands.log'), `${command}\n`);
  const [head = '', ...rest] = command.split(' ');
  const text = rest.join(' ');
  const isMoving = !isPaused && seek === null && position !== lastSeek;
  if (position < FIRST_TICK_HEARD && !head.startsWith('demo_')) return;
  if (head === 'demo_gototick') goTo(Number(rest[0]));
  if (head === 'demo_pause') isPaused = true;
  if (head === 'demo_resume' && seek === null) isPaused = false;
  const isRefused = modes.has('another-speed') && Number(text) < 128;
  if (head === 'host_framerate' && !isRefused) framerate = Number(text);
  if (head === 'spec_show_xray') xray = text === '1';
  if (head === 'spec_mode' && isMoving) isFirstPerson = text === '1';
  if (head === 'spec_player' && isMoving && driftFrames === 0 && !modes.has('wrong-player')) show(Number(text) - 1);
  if (head === 'quit' && !modes.has('stubborn')) process.exit(isHard && random() < 0.5 ? 1 : 0);
  if (head === 'startmovie' && film === null) {
    if (faults.crash) crash();
    films++;
    film = { name: text, number: isHard && random() < 0.5 ? 1 : 0, from: position, last: null };
    mkdirSync(join(FILMS, text), { recursive: true });
  }
  if (head === 'endmovie' && film !== null) endFilm(film);
}

function endFilm({ name, from, number }: NonNullable<typeof film>): void {
  note(`take ${number}`);
  film = null;
  const seconds = (position - from) / TICK_RATE;
  const length = faults.sound === 'short' ? seconds / 2 : seconds;
  if (faults.sound !== 'missing') writeFileSync(join(FILMS, name, `${name}.wav`), wavOf(length, faults.sound));
}

function goTo(target: number): void {
  if (xray) crash();
  note(`seek ${target < position ? 'back' : 'ahead'} ${Math.floor(Math.abs(target - position))}`);
  isPaused = true;
  seek = { target, turns: modes.has('lost-seek') ? Infinity : target < position ? 5 : 3 };
  faults = pickFaults(modes, isHard, random);
  if (faults.landsAsItLikes) faults = { ...faults, landsPaused: modes.has('lands-paused') || random() < 0.5 };
}

function land(target: number): void {
  seek = null;
  position = target;
  lastSeek = target;
  // To the start of a demo it goes by itself; a pause there would end every peer's recording.
  isPaused = target > 0 && faults.landsPaused;
  isFirstPerson = false;
  show(modes.has('wrong-player') ? NOBODY : anotherThan(slot));
}

function takePicture(): void {
  if (film === null) return;
  const at = film.number;
  if (at === faults.stuckAt) {
    isStuck = true;
    writeFileSync(STUCK, '');
    return;
  }
  if (at === faults.driftAt(films + starts)) {
    driftFrames = faults.driftFrames;
    show(anotherThan(slot));
  }
  const isFrozen = at >= faults.frozenFrom && film.last !== null;
  const [w, h] = faults.wrongSize ? [width / 2, height / 2] : [width, height];
  const shown = isFirstPerson ? slot : NOBODY;
  const picture = at >= faults.blackFrom ? blackPicture(w, h) : paintPicture(w, h, position, shown);
  film.last = isFrozen ? film.last : picture;
  film.number++;
  if (faults.noPictures || film.last === null) return;
  const isLost = faults.framesLost(100) > 1 && at % 10 === 9;
  const path = join(FILMS, film.name, `${film.name}${String(at).padStart(8, '0')}.tga`);
  if (!isLost) writeFileSync(path, tgaOf(film.last, w, h, seed % 2 === 0));
}

function frame(): void {
  const due = queue;
  queue = [];
  for (const command of due) run(command);
  if (isPaused || isStuck || seek !== null || position < 0) return;
  position += framerate > 0 ? TICK_RATE / framerate : 0.4 + random() * (isHard ? 2.5 : 0.8);
  if (driftFrames > 0) driftFrames--;
  takePicture();
}

/** The plugin: a thread that looks at the tick again and again, and compares. */
interface Action {
  readonly tick: number;
  readonly cmd: string;
}
const sequences: { actions: Action[] }[] = [];
let currentTick = -1;
let left: Action[] = [];
let pausedUntil: { at: number; posted: number } | null = null;

function log(text: string): void {
  appendFileSync(LOG, `${seed % 2 === 0 ? `[${currentTick}] ` : ''}${text}\n`);
}

function lookAtTick(): void {
  if (pausedUntil !== null) {
    if (Date.now() < pausedUntil.at || (posted < pausedUntil.posted && !modes.has('no-reports'))) return;
    pausedUntil = null;
    log('Resuming demo playback');
    queue.push('demo_resume');
    runActions();
    return;
  }
  const tick = Math.floor(position);
  if (tick === currentTick) return;
  currentTick = tick;
  left = (sequences[0]?.actions ?? []).filter((action) => action.tick === tick);
  runActions();
}

function runActions(): void {
  for (let action = left.shift(); action !== undefined; action = left.shift()) {
    const { cmd } = action;
    if (faults.dropsMarker(`echo ${cmd}`, random) && cmd !== 'quit' && cmd !== 'go_to_next_sequence') continue;
    if (cmd === 'pause_playback') {
      log('Pausing demo playback');
      queue.push('demo_pause');
      pausedUntil = { at: Date.now() + PAUSE.ms, posted: posted + PAUSE.reports };
      return;
    }
    if (cmd === 'go_to_next_sequence') {
      log(`Going to next sequence, remaining sequences: ${sequences.length - 1}`);
      sequences.shift();
      queue.push('demo_gototick 0');
      currentTick = -1;
    } else {
      log(`Executing: ${cmd}`);
      queue.push(cmd);
    }
  }
}

function say(line: string): void {
  appendFileSync(join(csgo, 'console.log'), `04/01 12:00:00 ${line}\n`);
}

function turn(): void {
  if (isStuck || demo === null) return;
  const before = position;
  if (isHard && random() < 0.05) say(CHAT[Math.floor(random() * CHAT.length)] ?? '');
  if (seek !== null && seek.turns-- <= 0) land(seek.target);
  // A thousand frames a second outside of a film: a report is long there when it begins.
  for (let i = 0; i < (film === null ? 2 : 16) && !isStuck; i++) {
    frame();
    if (hasPlugin && position >= 0) lookAtTick();
    if (demo !== null && position >= demo.lastTick) position = -1;
  }
  const isGoing = position !== before || pausedUntil !== null || (seek?.turns ?? Infinity) < Infinity;
  idleTurns = isGoing ? 0 : idleTurns + 1;
  if (idleTurns === IDLE_TURNS) writeFileSync(STUCK, '');
}

const demoPath = value('+playdemo');
if (hasPlugin && game.includes('-insecure') && !modes.has('no-log')) {
  rmSync(LOG, { force: true });
  sequences.push(...(JSON.parse(readFileSync(`${demoPath}.json`, 'utf8')) as typeof sequences));
  log(`JSON sequences file loaded: ${demoPath}.json`);
  if (existsSync(join(csgo, 'gameinfo.gi.backup'))) {
    copyFileSync(join(csgo, 'gameinfo.gi.backup'), join(csgo, 'gameinfo.gi'));
    rmSync(join(csgo, 'gameinfo.gi.backup'));
  }
}
writeFileSync(join(gameDir, 'up'), '');
if (modes.has('incompatible')) say('[Client] Disconnecting from server: NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE');
if (modes.has('no-baseline')) {
  say('FATAL ERROR: GetClassBaseline: m_baselinehandles.find(35) Failed for class CCSGOViewModel.');
  process.exit(1);
}
if (modes.has('never-plays')) writeFileSync(STUCK, '');
else if (!modes.has('incompatible')) {
  note('load');
  demo = await loadDemo(demoPath);
  position = 0;
  if (hasPlugin && !modes.has('no-log')) log('Demo playback started -1');
}
setInterval(turn, 2);
setInterval(() => pending === 0 && postState(), 20);
