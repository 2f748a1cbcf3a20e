import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Grant } from '#protocol/host/gateway.ts';
import { signedHeaders } from '#protocol/lib/signed-message.ts';
import { listenOn } from '#stack/listen.ts';
import { freePort } from '#stack/service.ts';
import { NO_CARDS_VIEW, PLAIN_KILLS_VIEW } from '#test/support/plain-order.ts';
import { SHORT_CLIP, writeShortDemo } from '#test/support/short-demo.ts';
import type { Kind } from './host-request.ts';
import { createScriptedGateway, type Fault, type Script, TOKEN } from './scripted-gateway.ts';

/** `withheld`: not before it is released. `elsewhere`: redirects to a domain that is not accepted. */
export type DemoMode = 'served' | 'withheld' | 'missing' | 'elsewhere';

export interface DemoServer {
  readonly url: string;
  release(): void;
  /** The number of requests. */
  asked(): number;
  /** The number of requests to an address that hosts must not call. */
  trapped(): number;
  stop(): Promise<void>;
}

/** Serves a demo on loopback in the mode of a rule. */
async function serveDemo(path: string, mode: DemoMode): Promise<DemoServer> {
  const demo = await readFile(path);
  let isWithheld = mode === 'withheld';
  let trapped = 0;
  let asked = 0;
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    asked++;
    if (request.url === '/trap') trapped++;
    if (mode === 'missing') response.writeHead(404).end();
    else if (mode === 'elsewhere' && request.url !== '/trap') {
      response.writeHead(302, { Location: `http://localhost:${port}/trap` }).end();
    } else if (isWithheld) waiting.add(response);
    else response.end(demo);
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}/match.dem`,
    release() {
      isWithheld = false;
      for (const response of waiting) response.end(demo);
      waiting.clear();
    },
    asked: () => asked,
    trapped: () => trapped,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The program to test, and the demo and order for it. */
export interface Candidate {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly demoPath: string;
  readonly order: Omit<Grant['order'], 'demo_url'>;
  /** How long a step may take before its rule counts as broken. */
  readonly patienceMs: number;
  /** How long the gateway holds a claim. */
  readonly holdS: number;
  /** Whether the program listens for jobs instead of claiming them. */
  readonly isPush?: boolean;
}

const PUSH_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
/** How often a host that does not listen yet is called. */
const CALL_AGAIN_MS = 50;

/** What a rule runs with: one host process, its gateway and its demo. */
export interface Stage {
  readonly gateway: Awaited<ReturnType<typeof createScriptedGateway>>;
  readonly demo: DemoServer;
  signal(name: 'SIGTERM'): void;
  /** Sends a grant to a push host, as soon as it listens. `secret`: null for no signature. */
  send(grant: Grant, how?: { readonly secret?: string | null; readonly ageS?: number }): Promise<Response>;
  /** Checks after each request. Rejects after `patienceMs`, or if the host has ended. */
  until(what: string, check: () => boolean): Promise<void>;
  /** Returns the exit status. Rejects after `patienceMs`. */
  end(): Promise<number | null>;
}

export interface Rule {
  readonly says: string;
  readonly script: (candidate: Candidate) => Script;
  readonly demo?: DemoMode;
  /** Runs the rule. Rejects with what the host did wrong. */
  readonly play: (stage: Stage) => Promise<void>;
}

/** Runs the host against the gateway of one rule. Returns all its faults by rule. */
export async function playRule(rule: Rule, candidate: Candidate): Promise<ReadonlyMap<string, readonly string[]>> {
  const faults = new Map<string, string[]>();
  const blame = (name: string, detail: string) => {
    faults.set(name, [...(faults.get(name) ?? []), detail]);
  };
  const demo = await serveDemo(candidate.demoPath, rule.demo ?? 'served');
  const gateway = await createScriptedGateway(
    rule.script(candidate),
    { ...candidate.order, demo_url: demo.url },
    (name, detail) => blame(name, `${detail} (while: ${rule.says})`),
  );
  const workDir = await mkdtemp(join(tmpdir(), 'host-conformance-'));
  const port = candidate.isPush ? await freePort(0) : null;
  const serving = port === null ? {} : { TICKREEL_SERVE: String(port), TICKREEL_PUSH_SECRET: PUSH_SECRET };
  const [program = '', ...args] = candidate.command;
  const child = spawn(program, args, {
    env: {
      ...process.env,
      TICKREEL_WORK_DIR: workDir,
      ...candidate.environment,
      TICKREEL_URL: gateway.url,
      TICKREEL_HOST_TOKEN: TOKEN,
      ...serving,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-1000);
  });
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const watch = (what: string, check: () => boolean, isEndFine: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const give = (error: Error | null) => {
        clearTimeout(timer);
        gateway.onRequest(() => {});
        if (error) reject(error);
        else resolve();
      };
      const look = () => {
        if (check()) give(null);
        else if (hasEnded() && !isEndFine) give(new Error(`the host ended before ${what}: ${output.trim()}`));
      };
      const patience = () => give(new Error(`no sign of ${what} within ${candidate.patienceMs / 1000} s`));
      const timer = setTimeout(patience, candidate.patienceMs);
      gateway.onRequest(look);
      void ended.then(look, look);
      look();
    });
  const stage: Stage = {
    gateway,
    demo,
    signal: (name) => void child.kill(name),
    async send(grant, { secret = PUSH_SECRET, ageS = 0 } = {}) {
      const body = JSON.stringify(grant);
      const message = { id: `${grant.job_id}.${grant.lease.fence}`, body, now: Date.now() - ageS * 1000 };
      const headers = secret === null ? {} : await signedHeaders(secret, message);
      const endMs = performance.now() + candidate.patienceMs;
      while (!hasEnded() && performance.now() < endMs) {
        const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body }).catch(() => null);
        if (response?.status === 202) gateway.confirm();
        if (response !== null) return response;
        await delay(CALL_AGAIN_MS);
      }
      throw new Error(`it does not listen at TICKREEL_SERVE: ${output.trim()}`);
    },
    until: (what, check) => watch(what, check, false),
    async end() {
      await watch('the end of the host', hasEnded, true);
      return child.exitCode;
    },
  };
  try {
    await rule.play(stage);
  } catch (error) {
    blame(rule.says, error instanceof Error ? error.message : String(error));
  } finally {
    gateway.onRequest(() => {});
    if (!hasEnded()) child.kill('SIGKILL');
    await ended.catch(() => {});
    await Promise.all([gateway.stop(), demo.stop()]);
    await rm(workDir, { recursive: true, force: true });
  }
  return faults;
}

const ASKS_AGAIN = 'a further claim';

const completed = ({ gateway }: Stage) => gateway.of('completeJob').some(({ answer }) => answer === 204);
export const claims = ({ gateway }: Stage) => gateway.of('claimJob').length + gateway.held();
export function must(isRight: boolean, otherwise: string): void {
  if (!isRight) throw new Error(otherwise);
}
const failed = ({ gateway }: Stage) => gateway.of('failJob').find(({ answer }) => answer === 204);
export const completes = async (stage: Stage): Promise<void> => {
  await stage.until('a completed job', () => completed(stage) || failed(stage) !== undefined);
  must(completed(stage), `it failed the job: ${failed(stage)?.values.code}, ${failed(stage)?.values.detail}`);
};
export const asksAgain = async (stage: Stage) => {
  const before = stage.gateway.of('claimJob').length;
  await stage.until(ASKS_AGAIN, () => stage.gateway.held() > 0 || stage.gateway.of('claimJob').length > before);
};
/** The faults of the first requests of some kinds. */
export const first = (kinds: readonly Kind[], fault: Fault) => (kind: Kind, nth: number) =>
  kinds.includes(kind) && nth === 0 ? fault : undefined;
export const fails = async (stage: Stage): Promise<string> => {
  await stage.until('a failed job', () => failed(stage) !== undefined);
  return String(failed(stage)?.values.code);
};

export const ONE_JOB = { claims: ['job'] } as const;

/** Writes a small demo and returns an order for the kills in it. */
export async function sampleOrder(folder: string): Promise<Pick<Candidate, 'demoPath' | 'order'>> {
  return { demoPath: await writeShortDemo(folder), order: orderOf(SHORT_CLIP.steam64_id) };
}

/** Returns an order for the kills of a player. */
export function orderOf(steam64_id: string): Candidate['order'] {
  return {
    selection: { ...PLAIN_KILLS_VIEW, steam64_id, round: null, pre_kill_padding: 0.5, post_kill_padding: 0.5 },
    fps: 5,
    resolution: 1080,
    spec_show_xray: false,
    cl_draw_only_deathnotices: true,
    hud_killfeed: false,
    hud_damage_ticker: false,
    thumbnail_style: 'full',
    watermark_image_id: null,
    ...NO_CARDS_VIEW,
  };
}
