import {
  access,
  constants,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { homedir, hostname, release } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { ZipFile } from 'yazl';
import { DEMO_MAGIC } from '#demo-format/container.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { type Cs2CaptureDependencies, createCs2Capture } from './capture/cs2/cs2-capture.ts';
import { readGameBuild, refusesDecals } from './capture/cs2/game/game-build.ts';
import type { Cs2Settings } from './capture/cs2/game/launch-args.ts';
import { readLogins, signedInAccount, steamFolders } from './capture/cs2/game/steam-folder.ts';
import { decodeFrames, readWav } from './capture/cs2/recording/footage-files.ts';
import { FOOTAGE_FILE, planRecordedShots } from './capture/cs2/recording/plan-recording.ts';
import type { HostConfig } from './config/host-config.ts';
import { judgeAll, type TrialLine, type TrialShot } from './doctor/assumptions.ts';
import { type Finding, fail, ok } from './doctor/check-machine.ts';
import { findFfmpeg } from './encode/ffmpeg.ts';
import { findGpu, output } from './machine/program.ts';
import { parseDemo } from './match/parse-demo.ts';
import { FPS, recordClip, trialShots } from './record-test-clip.ts';
import { unpackSample } from './sample-demo.ts';

const CHECK = 'evidence';
const MOST_DEMOS = 3;
const CSGO = 'game/csgo';
const ZIP = 'tickreel-evidence.zip';

/** The options of the doctor's command. */
export interface EvidenceOptions {
  readonly record?: string | true;
  readonly evidence?: string;
  readonly demo?: readonly string[];
}

/** Returns which rule an option breaks; null if none. */
export async function evidenceFault(
  { record, evidence, demo = [] }: EvidenceOptions,
  { TICKREEL_RENDERER }: NodeJS.ProcessEnv,
): Promise<string | null> {
  if (evidence === undefined) return demo.length === 0 ? null : '--demo needs --evidence DIR';
  if (record !== true) return '--evidence needs --record, without a file: --demo FILE names demos';
  if (TICKREEL_RENDERER !== 'cs2') return '--evidence needs TICKREEL_RENDERER=cs2: it is about the game';
  if (demo.length > MOST_DEMOS) return `--demo may be given ${MOST_DEMOS} times at most`;
  for (const path of demo) if (!(await isDemo(path))) return `--demo ${path} must be an unpacked demo (.dem)`;
  try {
    await mkdir(evidence, { recursive: true });
    await access(evidence, constants.W_OK);
  } catch (error) {
    return `--evidence ${evidence} must be a folder that can be written: ${reasonOf(error)}`;
  }
  return null;
}

async function isDemo(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  const head = await file?.read(Buffer.alloc(8), 0, 8, 0).catch(() => null);
  await file?.close();
  return head?.buffer.toString('latin1') === DEMO_MAGIC;
}

/** Returns the newest demos that Steam's copies of the game have recorded or downloaded. */
async function findDemos(settings: Cs2Settings): Promise<string[]> {
  const copies = steamFolders(settings).map((steam) => join(steam, 'steamapps/common', basename(settings.gameDir)));
  const found = new Map<string, number>();
  for (const folder of [settings.gameDir, ...copies].flatMap((game) => [
    join(game, CSGO),
    join(game, CSGO, 'replays'),
  ])) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.endsWith('.dem')) continue;
      const path = await realpath(join(folder, name)).catch(() => '');
      if (await isDemo(path)) found.set(path, (await stat(path)).mtimeMs);
    }
  }
  const newest = [...found].toSorted(([, a], [, b]) => b - a).slice(0, MOST_DEMOS);
  return newest.map(([path]) => path);
}

/**
 * Returns a function that hides folders, addresses, passwords and names in a text, and numbers Steam ids. Names of two
 * letters stay, and those that docs/gpu-host.md gives to users.
 */
function createRedactor(places: readonly string[], names: readonly string[]): (text: string) => string {
  const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const paths = places
    .filter(({ length }) => length > 3)
    .toSorted((a, b) => b.length - a.length)
    .map(literal);
  const words = names.filter((name) => name.length > 2 && !/^(clips|cs2|root)$/i.test(name)).map(literal);
  const hidden = [
    ...paths.map((path) => path.replaceAll(/\\[\\/]/g, '[\\\\/]+')),
    String.raw`(?<=(?:/home|[\\/]Users)[\\/]+)[^\\/\s"']+|\b[0-9a-f]{32}\b`,
    ...words.map((word) => String.raw`(?<![\p{L}\p{N}])${word}(?![\p{L}\p{N}])`),
  ];
  const pattern = new RegExp(hidden.join('|'), 'giu');
  const ids: string[] = [];
  const numbered = (id: string): string => `<steam id ${ids.indexOf(id) + 1 || ids.push(id)}>`;
  return (text) =>
    text.replace(pattern, '<hidden>').replace(/(?<!\d)7656119\d{10}(?!\d)|\b(U|STEAM_\d):\d:\d+/g, numbered);
}

export interface EvidenceInput {
  readonly dir: string;
  /** Without it, the newest demos of the game, else the sample. */
  readonly demo?: readonly string[];
  readonly print: (text: string) => void;
  readonly height?: number;
  /** Replaces parts of the recorder. */
  readonly game?: Partial<Cs2CaptureDependencies>;
}

/** Records demos in the game, judges the assumptions about it, and writes all evidence into one zip. */
export async function recordEvidence(
  { cs2, workDir, serviceUrl, token }: HostConfig,
  environment: NodeJS.ProcessEnv,
  findings: readonly Finding[],
  { dir, print, demo: asked = [], height = 1080, game }: EvidenceInput,
): Promise<Finding> {
  if (cs2 === null) return fail(CHECK, 'the radar shows nothing of the game', 'set TICKREEL_RENDERER=cs2');
  const began = performance.now();
  const lines: TrialLine[] = [];
  const observe = (from: TrialLine['from'], text: string): void =>
    void lines.push({ from, at: (performance.now() - began) / 1000, text });
  const note = (fields: object, message: string): void => observe('host', `${message} ${JSON.stringify(fields)}`);
  const settings = { ...cs2, observe };
  const recorder = cs2.recorder === 'hlae' ? dirname(cs2.hookPath) : cs2.pluginPath;
  const ffmpeg = await findFfmpeg(environment, { isMaintained: true });
  const folder = await mkdtemp(join(workDir, 'evidence-'));
  const log = { info: note, warn: note };
  const { capture, close } = createCs2Capture({ settings, ffmpeg, folder: join(folder, 'game'), log, ...game });
  const zip = new ZipFile();
  const sheets: Uint8Array[] = [];
  const shots: TrialShot[] = [];
  const names = [hostname(), environment.USER ?? environment.USERNAME ?? '', ...(await accountNames(settings))];
  const { signal } = new AbortController();

  async function record(demo: string, demoPath: string): Promise<void> {
    const parsed = await parseDemo({ demoPath, workDir: folder, signal });
    if (!parsed.ok) throw new Error(parsed.detail);
    const { match } = parsed;
    names.push(...match.players.map((player) => player.name));
    const recorded = planRecordedShots(match, trialShots(match, await signedInAccount(settings)), FPS) ?? [];
    const isOld = refusesDecals(match, await readGameBuild(settings));
    for (const [index, { shot, startTick, endTick, fps }] of recorded.entries()) {
      const name = `${demo}-shot-${index + 1}.mp4`;
      print(`${demo}, shot ${index + 1} of ${recorded.length}\n`);
      const outPath = join(folder, name);
      const request = { ffmpeg, capture, match, shot, demoPath, workDir: folder, height, signal, killfeed: true };
      const clip = await recordClip({ ...request, outPath });
      const fault = clip.ok ? clip.fault : `${clip.code}: ${clip.detail}`;
      if (fault !== null) observe('host', `${name}: ${fault}`);
      // Each further shot would wait for a game that does not start, or refuses the demo.
      if (!clip.ok && index === 0 && clip.code !== 'render_failed') return;
      if (!clip.ok) continue;
      zip.addBuffer(await readFile(outPath), name);
      sheets.push(clip.sheet);
      const [footage = '', take = '', ...sound] = relative(folder, clip.soundPath).split(sep);
      const film = { path: join(folder, footage, take, FOOTAGE_FILE), width: 32, height: 18, limit: 10_000 };
      let frames = 0;
      for await (const _ of decodeFrames({ ...film, ffmpegPath: ffmpeg.path }, signal)) frames++;
      const wantedSeconds = (endTick - startTick) / match.tickRate;
      shots.push({
        name,
        steamId: match.players[shot.pov]?.steamId ?? '',
        frames,
        wantedFrames: Math.round(wantedSeconds * fps),
        soundSeconds: (await readWav(clip.soundPath))?.seconds ?? 0,
        wantedSeconds,
        sound: sound.join('/'),
        killfeed: clip.killfeed ?? 'unjudged',
        isOld,
      });
    }
  }

  try {
    const made = await madeBy(settings);
    const demos = asked.length > 0 ? [...asked] : await findDemos(settings);
    if (demos.length === 0) demos.push(join(folder, 'sample.dem'));
    if (demos[0]?.startsWith(folder)) await unpackSample(demos[0]);
    for (const [index, path] of demos.entries()) {
      const demo = `demo-${index + 1}`;
      print(`${demo} is ${path}\n`);
      await record(demo, path).catch((error: unknown) => observe('host', `${demo}: ${reasonOf(error)}`));
    }
    await close();
    const list = process.platform === 'win32' ? output('tasklist', ['/nh']) : output('ps', ['-A', '-o', 'comm=']);
    const trial = { lines, shots, programs: await list };
    const judged = judgeAll(trial, cs2.recorder);
    const folders = [
      dir,
      workDir,
      ...steamFolders(cs2),
      cs2.gameDir,
      homedir(),
      ...[recorder, cs2.launcher[0], ...demos].map(dirname),
    ];
    const redact = createRedactor([...folders.map((path) => resolve(path)), serviceUrl, token], names);
    const machine = { ...(await findGpu()), system: `${process.platform} ${release()}`, ffmpeg: ffmpeg.version };
    const evidence = { made_by: made, machine, checks: findings, assumptions: judged, shots };
    const hide = (key: string, value: unknown) =>
      typeof value !== 'string' || ['id', 'text', 'verdict'].includes(key) ? value : redact(value);
    zip.addBuffer(Buffer.from(JSON.stringify(evidence, hide, 2)), 'evidence.json');
    for (const from of ['console', 'plugin', 'report', 'host'] as const) {
      const said = lines.flatMap((line) => (line.from === from ? `${line.at.toFixed(3)} ${line.text}\n` : []));
      zip.addBuffer(Buffer.from(redact(said.join(''))), `${from}.log`);
    }
    if (sheets.length > 0) zip.addBuffer(await stackPictures(sheets), 'contact-sheet.jpg');
    zip.end();
    const path = join(dir, ZIP);
    await writeFile(path, zip.outputStream);
    for (const { verdict, id, shown } of judged) print(`${verdict.padEnd(9)} ${id.padEnd(13)} ${shown}\n`);
    if (shots.length === 0) return fail(CHECK, `no shot was recorded: ${path} says why`, 'send that file all the same');
    return ok(CHECK, `send us ${path}${made.is_game ? '' : ', which an imitation of the game made'}`);
  } catch (error) {
    return fail(CHECK, reasonOf(error), 'fix that, and run it again');
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Puts JPEGs below each other. */
async function stackPictures(jpegs: readonly Uint8Array[]): Promise<Buffer> {
  const pictures = await Promise.all(jpegs.map((jpeg) => loadImage(jpeg)));
  const tops = pictures.map((_, index) => pictures.slice(0, index).reduce((sum, { height }) => sum + height, 0));
  const height = (tops.at(-1) ?? 0) + (pictures.at(-1)?.height ?? 0);
  const canvas = createCanvas(Math.max(...pictures.map(({ width }) => width)), height);
  for (const [index, picture] of pictures.entries()) canvas.getContext('2d').drawImage(picture, 0, tops[index] ?? 0);
  return canvas.encode('jpeg', 70);
}

/** Returns the names of Steam's accounts on this machine. */
async function accountNames(settings: Cs2Settings): Promise<string[]> {
  const texts = await readLogins(settings);
  return [...texts.join('\n').matchAll(/"(?:AccountName|PersonaName)"\s+"(.+)"/g)].map(([, name = '']) => name);
}

/** Returns the programs that recorded. An imitation of the game has another launcher, or lacks the engine. */
async function madeBy({ gameDir, launcher: [program], recorder }: Cs2Settings) {
  const engine = recorder === 'hlae' ? 'win64/engine2.dll' : 'linuxsteamrt64/libengine2.so';
  const hasEngine = await stat(join(gameDir, 'game/bin', engine)).catch(() => null);
  const [launcher, { version: build }] = [basename(program), await readGameBuild({ gameDir })];
  const is_game = hasEngine !== null && /^(HLAE\.exe|_v2-entry-point)$/i.test(launcher);
  return { is_game, recorder, launcher, build };
}
