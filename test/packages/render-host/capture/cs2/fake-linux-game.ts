import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDemo } from './fake-demo.ts';
import { CHAT } from './fake-faults.ts';
import { createStandIn, FIRST_TICK_HEARD, TICK_RATE } from './fake-stand-in.ts';
import { tgaOf, wavOf } from './pictures.ts';

/**
 * A fake of the Steam Linux Runtime, the game and cs-demo-manager's plugin. It loads the plugin if gameinfo.gi names
 * its folder, runs the actions next to the demo at the ticks that the plugin sees, and films into TGA and wav, with
 * tick and player in the pixels. It is as strict as they are known to be. An action whose tick a frame skips is lost;
 * others run with the next frame. `pause_playback` stops the plugin for two seconds, and it misses the ticks meanwhile.
 * Commands below tick 96, and camera commands while paused or on the tick of a seek, do nothing. Outlines during a seek
 * crash the game.
 */
const argv = process.argv.slice(2);
const script = argv[argv.indexOf('--') + 1] ?? '';
const args = argv.slice(argv.indexOf('--') + 2);
const gameDir = join(script, '..', '..');
const csgo = join(gameDir, 'game/csgo');
const LOG = join(gameDir, 'game/bin/linuxsteamrt64/csdm.log');
const FILMS = join(csgo, 'csdm/movie');
const game = createStandIn(gameDir, args, crash);
const { modes, isHard, random, note, state, value, seed, width, height } = game;
/** Pictures are in the first folder of the game's search path. Sound is not, since the Armory update. */
const SOUNDS = seed % 2 === 0 ? FILMS : join(csgo, 'movie');
/** Reports are sent in it, however busy the machine is: the first may be an old one. */
const PAUSE = { ms: 2000 / game.clock, reports: 2 };

const info = readFileSync(join(csgo, 'gameinfo.gi'), 'utf8');
const hasPlugin =
  /^\s*Game\s+csgo\/csdm\s*$/m.test(info) && existsSync(join(csgo, 'csdm/bin/linuxsteamrt64/libserver.so'));
if (hasPlugin && modes.has('plugin-too-old')) {
  process.stderr.write('Could not load server lib: undefined symbol\n');
  process.exit(1);
}

let seek: { readonly target: number; turns: number } | null = null;
let queue: string[] = [];
let film: { readonly name: string; number: number; readonly from: number; last: Uint8Array | null } | null = null;
let films = 0;

function crash(): never {
  process.exit(139);
}

function run(command: string): void {
  game.logCommand(command);
  const [head = '', ...rest] = command.split(' ');
  const text = rest.join(' ');
  const isMoving = !state.isPaused && seek === null && state.position !== state.lastSeek;
  if (state.position < FIRST_TICK_HEARD && !head.startsWith('demo_')) return;
  if (head === 'demo_gototick') goTo(Number(rest[0]));
  if (head === 'demo_pause') state.isPaused = true;
  if (head === 'demo_resume' && seek === null) state.isPaused = false;
  if (head === 'host_framerate') state.framerate = Number(text);
  if (head === 'spec_show_xray') state.xray = text === '1';
  if (head === 'spec_mode' && isMoving) state.isFirstPerson = text === '1';
  const isAimed = isMoving && state.driftFrames === 0 && !modes.has('wrong-player');
  if (head === 'spec_player' && isAimed) game.show(Number(text) - 1);
  if (head === 'quit' && !modes.has('stubborn')) process.exit(isHard && random() < 0.5 ? 1 : 0);
  if (head === 'startmovie' && film === null) {
    if (state.faults.crash) crash();
    films++;
    film = { name: text, number: isHard && random() < 0.5 ? 1 : 0, from: state.position, last: null };
    mkdirSync(join(FILMS, text), { recursive: true });
  }
  if (head === 'endmovie' && film !== null) endFilm(film);
}

function endFilm({ name, from, number }: NonNullable<typeof film>): void {
  const { sound } = state.faults;
  note(`take ${number}`);
  film = null;
  const seconds = (state.position - from) / TICK_RATE;
  const length = sound === 'short' ? seconds / 2 : seconds;
  if (sound === 'missing') return;
  mkdirSync(join(SOUNDS, name), { recursive: true });
  writeFileSync(join(SOUNDS, name, `${name}.wav`), wavOf(length, sound));
}

function goTo(target: number): void {
  game.beginSeek(target, true);
  seek = { target, turns: modes.has('lost-seek') ? Infinity : target < state.position ? 5 : 3 };
}

function takePicture(): void {
  if (film === null) return;
  const { noPictures, wrongSize, framesLost } = state.faults;
  const scale = wrongSize ? 0.5 : 1;
  const at = film.number;
  const picture = game.picture(at, films + game.starts, film.last, scale);
  if (picture === null) return;
  film.last = picture;
  film.number++;
  const isLost = framesLost(100) > 1 && at % 10 === 9;
  if (noPictures || isLost) return;
  const path = join(FILMS, film.name, `${film.name}${String(at).padStart(8, '0')}.tga`);
  writeFileSync(path, tgaOf(picture, width * scale, height * scale, seed % 2 === 0));
}

function frame(): void {
  const due = queue;
  queue = [];
  for (const command of due) run(command);
  if (state.isPaused || state.isStuck || seek !== null || state.position < 0) return;
  state.position += game.step();
  if (state.driftFrames > 0) state.driftFrames--;
  takePicture();
}

/** The plugin: a thread that compares the tick again and again. */
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
    if (Date.now() < pausedUntil.at || (state.posted < pausedUntil.posted && !modes.has('no-reports'))) return;
    pausedUntil = null;
    log('Resuming demo playback');
    queue.push('demo_resume');
    runActions();
    return;
  }
  const tick = Math.floor(state.position);
  if (tick === currentTick) return;
  currentTick = tick;
  left = (sequences[0]?.actions ?? []).filter((action) => action.tick === tick);
  runActions();
}

function runActions(): void {
  for (let action = left.shift(); action !== undefined; action = left.shift()) {
    const { cmd } = action;
    const isLost = state.faults.dropsMarker(`echo ${cmd}`, random);
    if (isLost && cmd !== 'quit' && cmd !== 'go_to_next_sequence') continue;
    if (cmd === 'pause_playback') {
      log('Pausing demo playback');
      queue.push('demo_pause');
      pausedUntil = { at: Date.now() + PAUSE.ms, posted: state.posted + PAUSE.reports };
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
  const { demo, position: before } = state;
  if (state.isStuck || demo === null) return;
  if (isHard && random() < 0.05) say(CHAT[Math.floor(random() * CHAT.length)] ?? '');
  if (seek !== null && seek.turns-- <= 0) {
    const { target } = seek;
    seek = null;
    game.land(target);
  }
  // A thousand frames a second outside of a film, so a report takes many frames.
  for (let i = 0; i < (film === null ? 2 : 16) && !state.isStuck; i++) {
    frame();
    if (hasPlugin && state.position >= 0) lookAtTick();
    if (state.position >= demo.lastTick) state.position = -1;
  }
  game.idle(state.position !== before || pausedUntil !== null || (seek?.turns ?? Infinity) < Infinity);
}

const demoPath = value('+playdemo');
if (hasPlugin && args.includes('-insecure') && !modes.has('no-log')) {
  rmSync(LOG, { force: true });
  sequences.push(...(JSON.parse(readFileSync(`${demoPath}.json`, 'utf8')) as typeof sequences));
  log(`JSON sequences file loaded: ${demoPath}.json`);
  if (existsSync(join(csgo, 'gameinfo.gi.backup'))) {
    copyFileSync(join(csgo, 'gameinfo.gi.backup'), join(csgo, 'gameinfo.gi'));
    rmSync(join(csgo, 'gameinfo.gi.backup'));
  }
}
if (modes.has('incompatible')) say('[Client] Disconnecting from server: NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE');
if (modes.has('no-baseline')) {
  say('FATAL ERROR: GetClassBaseline: m_baselinehandles.find(35) Failed for class CCSGOViewModel.');
  process.exit(1);
}
if (modes.has('asks')) game.ask('Steam Dialog');
else if (modes.has('never-plays')) game.hang();
else if (!modes.has('incompatible')) {
  note('load');
  state.demo = await loadDemo(demoPath);
  state.position = 0;
  if (hasPlugin && !modes.has('no-log')) log('Demo playback started -1');
}
game.run(turn);
