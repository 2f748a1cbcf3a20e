import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { loadDemo } from './fake-demo.ts';
import { CHAT } from './fake-faults.ts';
import { createPlayback } from './fake-playback.ts';
import type { Sequence } from './fake-plugin.ts';
import { createStandIn, TICK_RATE } from './fake-stand-in.ts';
import { tgaOf, wavOf } from './pictures.ts';

/**
 * A fake of the Steam Linux Runtime, the game and cs-demo-manager's plugin. It loads the plugin if gameinfo.gi names
 * its folder, and films into TGA and wav, with tick and player in the pixels. `fake-playback.ts` is its playback,
 * `fake-plugin.ts` the plugin. Camera commands while paused or on the tick of a seek do nothing. Outlines during a seek
 * crash the game.
 */
const argv = process.argv.slice(2);
const script = argv[argv.indexOf('--') + 1] ?? '';
const args = argv.slice(argv.indexOf('--') + 2);
const gameDir = join(script, '..', '..');
const csgo = join(gameDir, 'game/csgo');
const LOG = join(gameDir, 'game/bin/linuxsteamrt64/csdm.log');
const info = readFileSync(join(csgo, 'gameinfo.gi'), 'utf8');
/** Where the engine writes: the first `Game` folder (MatchZy issue 171, saul/cvar-unhide-s2 issue 3). */
const written = join(gameDir, 'game', /^\s*Game\s+(\S+)/m.exec(info)?.[1] ?? '');
const FILMS = join(written, 'movie');
const OTHER_FILMS = join(csgo, 'movie');
const game = createStandIn(gameDir, args, crash);
const { modes, isHard, random, note, state, value, seed, width, height } = game;
/** Since the Armory update, sound is not where pictures are. */
const SOUNDS = seed % 2 === 0 ? FILMS : OTHER_FILMS;
const PICTURES = modes.has('films-elsewhere') || seed % 3 === 0 ? OTHER_FILMS : FILMS;
const PAUSE_MS = 2000 / game.clock;
/** Outside of a film: 120 frames a second of its clock, at 500 turns a second. */
const FRAMES_PER_TURN = Math.max(1, Math.round((120 / 500) * game.clock));

const hasPlugin =
  /^\s*Game\s+csgo\/csdm\s*$/m.test(info) && existsSync(join(csgo, 'csdm/bin/linuxsteamrt64/libserver.so'));
if (hasPlugin && modes.has('plugin-misfit')) {
  process.stderr.write('Could not load server lib: undefined symbol\n');
  process.exit(1);
}

if (isHard && random() < 0.02) modes.add('dead-hook');
if (isHard && random() < 0.01) modes.add('asks');
let film: { readonly name: string; number: number; readonly from: number; last: Uint8Array | null } | null = null;
let films = 0;

function crash(): never {
  process.exit(139);
}

function run(head: string, text: string): void {
  if (head === 'spec_show_xray') state.xray = text === '1';
  if (head === 'cl_drawhud_force_deathnotices') state.deathnotices = Number(text);
  if (head === 'spec_mode' && playback.isMoving()) state.isFirstPerson = text === '1';
  const isAimed = playback.isMoving() && state.driftFrames === 0 && !modes.has('wrong-player');
  if (head === 'spec_player' && isAimed) {
    game.spectate(Number(text) - 1);
    aimed ??= { at: state.position, posted: state.posted };
  }
  if (head === 'quit' && !modes.has('stubborn')) process.exit(isHard && random() < 0.5 ? 1 : 0);
  if (head === 'startmovie' && film === null) {
    if (state.faults.crash) crash();
    films++;
    film = { name: text, number: isHard && random() < 0.5 ? 1 : 0, from: state.position, last: null };
    mkdirSync(join(PICTURES, text), { recursive: true });
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
  const path = join(PICTURES, film.name, `${film.name}${String(at).padStart(8, '0')}.tga`);
  writeFileSync(path, tgaOf(picture, width * scale, height * scale, seed % 2 === 0));
}

const sequences: Sequence[] = [];
let asleepUntil = 0;
/** Where the camera was set for this shot, and how many reports had been sent. */
let aimed: { readonly at: number; readonly posted: number } | null = null;

function log(text: string): void {
  appendFileSync(LOG, `${text}\n`);
}

/** A second brings a report. Here a busy machine sends it late, so the game waits for it. */
const hasReported = (since: number): boolean => modes.has('no-reports') || state.posted > since;
const isAheadOfReports = (): boolean =>
  film === null && aimed !== null && state.position > aimed.at + TICK_RATE / 2 && !hasReported(aimed.posted);

const playback = createPlayback(
  state,
  hasPlugin && !modes.has('dead-hook') ? sequences : null,
  {
    fps: [5, 12, 30, 60, 120][seed % 5] ?? 60,
    lag: () => Math.floor(random() * 8),
    late: (target) => (target > 0 ? Math.floor(random() * 20) - 16 : random() < 0.5 ? 68 : Math.floor(random() * 4)),
    showsStart: () => random() < 0.5,
    landsPaused: () => state.faults.landsPaused,
    seekFrames: (_target, isBack) => (modes.has('lost-seek') ? Infinity : isBack ? 5 : 3),
  },
  {
    command: run,
    ran: game.logCommand,
    log,
    seek(target) {
      aimed = null;
      game.beginSeek(target, true);
    },
    landed: game.landed,
    drawn() {
      if (state.driftFrames > 0) state.driftFrames--;
      takePicture();
    },
    slept() {
      asleepUntil = Date.now() + PAUSE_MS;
    },
    hasSlept: () => Date.now() >= asleepUntil,
  },
);

function say(line: string): void {
  if (args.includes('-condebug')) appendFileSync(join(written, 'console.log'), `04/01 12:00:00 ${line}\n`);
}

function turn(): void {
  const { demo, position: before } = state;
  if (state.isStuck || demo === null) return;
  if (isHard && random() < 0.05) say(CHAT[Math.floor(random() * CHAT.length)] ?? '');
  for (let i = 0; i < (film === null ? FRAMES_PER_TURN : 16) && !state.isStuck && !isAheadOfReports(); i++) {
    playback.frame();
    if (state.position >= demo.lastTick) state.position = -1;
  }
  state.isFrozen = playback.isAsleep();
  game.idle(
    state.position !== before ||
      playback.isAsleep() ||
      isAheadOfReports() ||
      (playback.isSeeking() && !playback.isLost()),
  );
}

/** The plugin's other thread. Connected, it polls without a pause until the game ends. */
function reachHost(): void {
  const port = process.env.CSDM_WS_PORT ?? '4574';
  log(`Connecting to WebSocket server on port ${port}...`);
  const socket = connect(Number(port), 'localhost', () => {
    log('Connected to WebSocket server.');
    const poll = (): void => void setImmediate(poll);
    poll();
  });
  socket.on('error', () => {
    log('Failed to connect to WebSocket server.');
    log('Retrying in 2s...');
    setTimeout(reachHost, PAUSE_MS);
  });
}

say('Game initialized');
const demoPath = value('+playdemo');
if (hasPlugin && args.includes('-insecure') && !modes.has('no-log')) {
  rmSync(LOG, { force: true });
  sequences.push(...(JSON.parse(readFileSync(`${demoPath}.json`, 'utf8')) as typeof sequences));
  log('CreateInterface called with Source2ServerConfig001');
  for (const line of JSON.stringify(sequences, null, 2).split('\n')) log(line);
  log(`${sequences.length} sequences loaded`);
  reachHost();
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
// The console's log is buffered then (5stack game-streamer 2e92922, `common.sh`).
else if (modes.has('gives-up')) game.ask('Error');
else if (modes.has('never-plays')) game.hang();
else if (!modes.has('incompatible')) {
  note('load');
  state.demo = await loadDemo(demoPath);
  if (state.demo.lastTick === game.crashesOn) crash();
  state.position = 0;
  if (hasPlugin && !modes.has('no-log') && !modes.has('dead-hook')) {
    // Before commit 53faf5e4 of 14 March 2026 it had a thread instead of a hook.
    log(modes.has('plugin-too-old') ? '[-1] Initialized' : 'Hooked FrameStageNotify');
    log(`[0] Demo playback started, sequences ${sequences.length}`);
  }
}
game.run(turn);
