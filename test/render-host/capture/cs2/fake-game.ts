import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { findFfmpeg } from '../../../../render-host/encode/ffmpeg.ts';

/**
 * Stands for launcher and game: takes HLAE's arguments, answers on the console port as the game does, plays a demo of
 * nothing but ticks, records real video through ffmpeg, and posts whom it shows. It is as strict as the game where the
 * game is known to be: commands below tick 96 and camera commands while paused are lost, scheduled commands stay and
 * are met again where playback was paused, a backward seek runs none of them.
 *
 * `+fake a,b` among the game's arguments makes it misbehave. Its folder gets `commands.log`, `pid`, `environment` (the
 * names in it), and `up` once it is.
 */
const value = (list: readonly string[], name: string): string => list[list.indexOf(name) + 1] ?? '';
const launch = process.argv.slice(2);
const game = value(launch, '-cmdLine').split(' ');
const gameDir = join(dirname(value(launch, '-programPath')), '..', '..', '..');
const modes = new Set(game.includes('+fake') ? value(game, '+fake').split(',') : []);
const size = `${value(game, '-width')}x${value(game, '-height')}`;
const players = JSON.parse(readFileSync(join(gameDir, 'players.json'), 'utf8')) as Record<string, string>;
const STRANGER = '76561197960265729';
const COLORS = ['gray', 'maroon', 'navy', 'olive', 'purple', 'teal'];
const TICKS_PER_TURN = 8;
const FIRST_TICK_HEARD = 96;

writeFileSync(join(gameDir, 'pid'), `${process.pid}`);
writeFileSync(join(gameDir, 'environment'), Object.keys(process.env).join('\n'));
if (modes.has('broken-launcher')) {
  process.stderr.write('hook not found\n');
  process.exit(3);
}
const ffmpeg = await findFfmpeg(process.env);
const report = readReportConfig();

let socket: Socket | null = null;
let tick = -1;
let isPaused = false;
let seekTurns = 0;
let lastSeek = -1;
let asked = 0;
let scheduled: { tick: number; commands: string }[] = [];
let shown = STRANGER;
let slot = 0;
let fps = 0;
let name = '';
let codec = '';
let startedAt: number | null = null;
let takes = 0;

function print(line: string): void {
  socket?.write(`${line}\r\n`);
}

function readReportConfig(): { uri: string; token: string } | null {
  const text = readFileSync(join(gameDir, 'game/csgo/cfg/gamestate_integration_tickreel.cfg'), 'utf8');
  const found = (key: string): string => new RegExp(`"${key}" "([^"]+)"`).exec(text)?.[1] ?? '';
  return { uri: found('uri'), token: found('token') };
}

async function postState(): Promise<void> {
  if (report === null || tick < 0 || modes.has('no-reports')) return;
  const body = JSON.stringify({ provider: { appid: 730 }, player: { steamid: shown }, auth: { token: report.token } });
  await fetch(report.uri, { method: 'POST', body }).catch(() => {});
}

function show(next: string): void {
  shown = next;
  void postState();
}

function run(command: string): void {
  const [head = '', ...rest] = command.trim().split(/\s+/);
  const text = rest.join(' ');
  if (head.startsWith('mirv_') && modes.has('no-hook')) print(`Unknown command '${head}'!`);
  if (head === 'echo') print(text);
  if (head === 'playdemo') playDemo();
  if (head === 'demo_gototick') seek(Number(text));
  if (head === 'demo_pause') isPaused = true;
  if (head === 'demo_resume') {
    isPaused = false;
    tick--;
  }
  if (head === 'spec_player' && !isPaused && tick !== lastSeek && !modes.has('wrong-player')) {
    slot = Number(text);
    show(players[text] ?? STRANGER);
  }
  if (head === 'quit' && !modes.has('stubborn')) process.exit(0);
  if (head === 'mirv_cmd' && rest[0] === 'clear') scheduled = [];
  const added = /^mirv_cmd addAtTick (\d+) "(.*)"$/.exec(command);
  if (added !== null) scheduled.push({ tick: Number(added[1]), commands: added[2] ?? '' });
  if (head === 'mirv_streams') streams(command, rest);
}

function playDemo(): void {
  asked++;
  if (modes.has('incompatible')) print('Disconnected: NETWORK_DISCONNECT_REPLAY_INCOMPATIBLE (56)');
  if (modes.has('no-baseline')) print('CL_CopyNewEntity: GetClassBaseline( 217, CCSPlayerPawn ) failed.');
  if (modes.has('never-plays') || (modes.has('plays-when-asked-twice') && asked === 1)) return;
  tick = 0;
}

function seek(target: number): void {
  if (modes.has('lost-seek')) {
    isPaused = true;
    return;
  }
  tick = target;
  lastSeek = target;
  isPaused = false;
  seekTurns = 3;
}

function streams(command: string, [verb, what]: readonly string[]): void {
  if (verb === 'settings') codec = /"(.*)"$/.exec(command)?.[1] ?? '';
  if (verb !== 'record') return;
  if (what === 'fps') fps = Number(command.split(' ').at(-1));
  if (what === 'name') name = /"(.*)"$/.exec(command)?.[1] ?? '';
  if (what === 'start') {
    if (modes.has('crash')) crash();
    startedAt = tick;
    takes++;
  }
  if (what === 'end' && startedAt !== null) writeTake(tick - startedAt);
}

function crash(): never {
  writeFileSync(join(gameDir, 'game/bin/win64/cs2_2026_0401.mdmp'), 'MDMP');
  process.exit(139);
}

/** A picture of one colour for each player, a second of sound for each second. */
function writeTake(ticks: number): void {
  startedAt = null;
  if (modes.has('no-footage')) return;
  const lost = modes.has('loses-frames') ? 2 : modes.has('loses-half') ? Math.floor((ticks / 64) * fps * 0.5) + 1 : 0;
  const frames = Math.max(1, Math.round((ticks / 64) * fps) - lost);
  const picture = ['-f', 'lavfi', '-i', `color=${COLORS[slot % COLORS.length]}:size=${size}:rate=${fps}`];
  const [options = '', path = ''] = codec.split('{QUOTE}');
  const output = [...options.trim().split(' '), '-frames:v', `${frames}`, path];
  const video = spawnSync(ffmpeg.path, ['-v', 'error', '-y', ...picture, ...output]);
  if (video.status !== 0) print(`mirv_streams: error: ${video.stderr.toString()}`);
  const folder = join(name, 'take0000');
  mkdirSync(folder, { recursive: true });
  const sound = ['-f', 'lavfi', '-i', `sine=500:r=44100:d=${ticks / 64}`, join(folder, 'audio.wav')];
  spawnSync(ffmpeg.path, ['-v', 'error', '-y', ...sound]);
}

function turn(): void {
  if (seekTurns > 0) {
    seekTurns--;
    return;
  }
  for (let i = 0; i < TICKS_PER_TURN && tick >= 0 && !isPaused && seekTurns === 0; i++) {
    const now = tick++;
    if (now < FIRST_TICK_HEARD) continue;
    for (const { commands } of scheduled.filter((one) => one.tick === now)) commands.split(';').forEach(run);
    if (startedAt === null) continue;
    const recorded = now - startedAt;
    if (recorded === 100 && modes.has('stands-still')) tick = -1;
    if (recorded === 40 && (modes.has('drifts') || (modes.has('drifts-once') && takes === 1))) show(STRANGER);
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
setInterval(() => void postState(), 20);
