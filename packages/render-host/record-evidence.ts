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
import { FPS, recordClip, type ShotClipInput, trialShots } from './record-test-clip.ts';
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
  const libraries = await steamFolders(settings);
  const copies = libraries.map((steam) => join(steam, 'steamapps/common', basename(settings.gameDir)));
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

/** What each text hides: users' folders, accounts' numbers, passwords, and addresses, but no version of the game. */
const PRIVATE = [
  String.raw`(?<=[\\/]Users[\\/]+)[^\\/"'\n]+(?=[\\/])|(?<=(?:/home|[\\/]Users)[\\/]+)[^\\/\s"']+`,
  String.raw`(?<=userdata[\\/]+)\d+|\b[0-9a-f]{32}\b`,
  String.raw`(?<![\d.])(?!127\.0\.0\.1(?!\d)|1\.4\d\.\d{1,2}\.\d{1,2}(?!\d|:\d))\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)`,
];
/** Names that docs/gpu-host.md gives to users, or that logs have anyway. */
const COMMON = /^(clips|cs2|demo|match|root|sample|[\\/]+)$/i;

/**
 * Returns a function that hides places and names in a text, also escaped as in JSON, and what is private in any case,
 * and numbers Steam ids. Names of two letters stay.
 */
export function createRedactor(places: readonly string[], names: readonly string[]): (text: string) => string {
  const escaped = (found: string): string =>
    found.endsWith('"') ? '\\\\*"' : /[\\/]/.test(found) ? '[\\\\/]+' : `\\${found}`;
  const patterns = (texts: readonly string[], least: number): string[] =>
    texts
      .filter(({ length }) => length >= least)
      .toSorted((a, b) => b.length - a.length)
      .map((text) => text.replace(/\\*"|[\\/]+|[.*+?^${}()|[\]]/g, escaped));
  const words = names.filter((name) => !COMMON.test(name)).flatMap((name) => [name, JSON.stringify(name).slice(1, -1)]);
  const edge = String.raw`(?:(?<![\p{L}\p{N}])|(?<=\\(?:[bfnrt]|u[0-9a-f]{4})))`;
  const hidden = [
    ...patterns(places, 4),
    ...PRIVATE,
    ...patterns(words, 3).map((word) => String.raw`${edge}${word}(?![\p{L}\p{N}])`),
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
  /** Ends the recording and the game. What was recorded until then is written. */
  readonly signal: AbortSignal;
  readonly height?: number;
  /** Replaces parts of the recorder. */
  readonly game?: Partial<Cs2CaptureDependencies>;
}

type ShotTools = Omit<ShotClipInput, 'match' | 'shot' | 'outPath'>;

/** Records demos in the game, judges the assumptions about it, and writes all evidence into one zip, whatever fails. */
export async function recordEvidence(
  { cs2, workDir, serviceUrl, token }: HostConfig,
  environment: NodeJS.ProcessEnv,
  findings: readonly Finding[],
  { dir, print, signal, demo: asked = [], height = 1080, game }: EvidenceInput,
): Promise<Finding> {
  if (cs2 === null) return fail(CHECK, 'the radar shows nothing of the game', 'set TICKREEL_RENDERER=cs2');
  const began = performance.now();
  const lines: TrialLine[] = [];
  const observe = (from: TrialLine['from'], text: string): void =>
    void lines.push({ from, at: (performance.now() - began) / 1000, text });
  const note = (fields: object, message: string): void => observe('host', `${message} ${JSON.stringify(fields)}`);
  const attempt = (what: string, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => observe('host', `${what}: ${reasonOf(error)}`));
  const settings = { ...cs2, observe };
  const recorder = cs2.recorder === 'hlae' ? dirname(cs2.hookPath) : cs2.pluginPath;
  const remove = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 });
  const zip = new ZipFile();
  const shots: TrialShot[] = [];
  const demos = [...asked];
  const names = [hostname(), environment.USER ?? environment.USERNAME ?? '', ...(await accountNames(settings))];

  async function record(demo: string, tools: ShotTools): Promise<void> {
    const { demoPath, workDir: folder, ffmpeg } = tools;
    const parsed = await parseDemo({ demoPath, workDir, signal });
    if (!parsed.ok) throw new Error(parsed.detail);
    const { match } = parsed;
    names.push(...match.players.map((player) => player.name));
    const recorded = planRecordedShots(match, trialShots(match, await signedInAccount(settings)), FPS) ?? [];
    const isOld = refusesDecals(match, await readGameBuild(settings));
    for (const [index, { shot, startTick, endTick, fps }] of recorded.entries()) {
      const name = `${demo}-shot-${index + 1}`;
      print(`${demo}, shot ${index + 1} of ${recorded.length}\n`);
      await remove(folder);
      await mkdir(folder);
      const outPath = join(folder, 'clip.mp4');
      const clip = await recordClip({ ...tools, match, shot, outPath });
      const { steamId = '', isBot = false } = match.players[shot.pov] ?? {};
      const label = `${name}${isOld ? ', old demo' : ''}${isBot ? ', bot' : ''}`;
      observe('host', `${label}: ${clip.ok ? (clip.fault ?? 'recorded') : `${clip.code}: ${clip.detail}`}`);
      // Each further shot would wait for a game that does not start, or refuses the demo.
      if (!clip.ok && index === 0 && clip.code !== 'render_failed') return;
      if (!clip.ok) continue;
      zip.addBuffer(await readFile(outPath), `${name}.mp4`);
      zip.addBuffer(Buffer.from(clip.sheet), `${name}.jpg`);
      const [footage = '', take = '', ...sound] = relative(folder, clip.soundPath).split(sep);
      const film = { path: join(folder, footage, take, FOOTAGE_FILE), width: 32, height: 18, limit: 10_000 };
      let frames = 0;
      for await (const _ of decodeFrames({ ...film, ffmpegPath: ffmpeg.path }, signal)) frames++;
      signal.throwIfAborted();
      const wantedSeconds = (endTick - startTick) / match.tickRate;
      const wanted = { wantedFrames: Math.round(wantedSeconds * fps), wantedSeconds };
      const heard = { soundSeconds: (await readWav(clip.soundPath))?.seconds ?? 0, sound: sound.join('/') };
      shots.push({ name, steamId, frames, ...wanted, ...heard, killfeed: clip.killfeed ?? 'unjudged' });
    }
  }

  async function recordDemos(folder: string, tools: Omit<ShotTools, 'demoPath'>): Promise<void> {
    if (demos.length === 0) demos.push(...(await findDemos(settings)));
    if (demos.length === 0) await unpackSample(demos[demos.push(join(folder, 'sample.dem')) - 1] ?? '');
    for (const [index, demoPath] of demos.entries()) {
      const demo = `demo-${index + 1}`;
      print(`${demo} is ${demoPath}\n`);
      await attempt(demo, record(demo, { ...tools, demoPath }));
    }
  }

  async function recordAll(): Promise<void> {
    const ffmpeg = await findFfmpeg(environment, { isMaintained: true });
    const folder = await mkdtemp(join(workDir, 'evidence-'));
    const log = { info: note, warn: note };
    const { capture, close } = createCs2Capture({ settings, ffmpeg, folder: join(folder, 'game'), log, ...game });
    const tools = { ffmpeg, capture, workDir: join(folder, 'shot'), height, signal, killfeed: true };
    await attempt('the demos', recordDemos(folder, tools));
    await attempt('the end of the game', close());
    await attempt('the work folder', remove(folder));
  }

  await attempt('the trial', recordAll());
  const list = process.platform === 'win32' ? output('tasklist', ['/nh']) : output('ps', ['-A', '-o', 'comm=']);
  const judged = judgeAll({ lines, shots, programs: await list }, cs2.recorder);
  const folders = [
    ...[dir, workDir, ...(await steamFolders(cs2)), cs2.gameDir, homedir()],
    ...[recorder, cs2.launcher[0], ...demos].map(dirname),
  ];
  const places = [...folders.map((path) => resolve(path)), serviceUrl, token];
  const redact = createRedactor(places, [...names, ...demos.map((path) => basename(path, '.dem'))]);
  const made = await madeBy(settings);
  const machine = { ...(await findGpu()), system: `${process.platform} ${release()}` };
  const evidence = { made_by: made, machine, checks: findings, assumptions: judged, shots };
  const hide = (key: string, value: unknown) =>
    typeof value !== 'string' || ['id', 'text', 'verdict'].includes(key) ? value : redact(value);
  zip.addBuffer(Buffer.from(JSON.stringify(evidence, hide, 2)), 'evidence.json');
  for (const from of ['console', 'plugin', 'report', 'host'] as const) {
    const said = lines.flatMap((line) => (line.from === from ? `${line.at.toFixed(3)} ${line.text}\n` : []));
    zip.addBuffer(Buffer.from(redact(said.join(''))), `${from}.log`);
  }
  zip.end();
  const path = join(dir, ZIP);
  const fault = await writeFile(path, zip.outputStream).then(() => null, reasonOf);
  if (fault !== null) return fail(CHECK, `nothing was written: ${fault}`, 'fix that, and run it again');
  for (const { verdict, id, shown } of judged) print(`${verdict.padEnd(9)} ${id.padEnd(13)} ${shown}\n`);
  const short = signal.aborted ? 'the recording was stopped' : shots.length === 0 ? 'no shot was recorded' : null;
  if (short !== null) return fail(CHECK, `${short}: ${path} says why`, 'send that file all the same');
  return ok(CHECK, `send us ${path}${made.is_game ? '' : ', which an imitation of the game made'}`);
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
  const [launcher, build] = [basename(program), await readGameBuild({ gameDir }).catch(() => null)];
  const is_game = hasEngine !== null && /^(HLAE\.exe|_v2-entry-point)$/i.test(launcher);
  return { is_game, recorder, launcher, build: build?.version ?? null };
}
