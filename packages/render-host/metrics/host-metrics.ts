import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { HostObserver, HostPhase } from '../agent/work-on-job.ts';

export interface HostMetrics {
  readonly observer: HostObserver;
  /** In Prometheus' text format. */
  text(): Promise<string>;
  health(): Health;
}

export interface Health {
  /** `away`: idle, and the gateway has not answered for too long. */
  readonly status: 'ok' | 'away';
  readonly phase: HostPhase;
  /** Seconds since the gateway's last answer to a claim, or since the host started. */
  readonly last_claim_age_s: number;
}

/** The gateway answers a claim within half a minute. This many seconds are several missed answers. */
const AWAY_AFTER_S = 150;

const PHASES: readonly HostPhase[] = ['idle', 'prefetch', 'render', 'upload'];
/** Seconds, from a cached download to the longest possible clip. */
const STAGE_BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 7200];

/** Creates the metrics of a host in a registry of their own. `now` in milliseconds. */
export function createHostMetrics(now: () => number): HostMetrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });
  let phase: HostPhase = 'idle';
  let claimedAt = now();
  const claimAge = (): number => Math.max(0, (now() - claimedAt) / 1000);

  const jobs = new Counter({
    name: 'tickreel_jobs_total',
    help: 'Jobs that ended on this host, by outcome and by error code where they failed.',
    labelNames: ['outcome', 'code'],
    registers,
  });
  const stages = new Histogram({
    name: 'tickreel_stage_seconds',
    help: 'How long the stages of renders took.',
    labelNames: ['stage'],
    buckets: STAGE_BUCKETS,
    registers,
  });
  const frames = new Counter({ name: 'tickreel_frames_total', help: 'Frames drawn and encoded.', registers });
  const frameRate = new Gauge({
    name: 'tickreel_encode_frames_per_second',
    help: 'Frames drawn and encoded a second, over the whole of the last clip.',
    registers,
  });
  const bytes = new Counter({
    name: 'tickreel_bytes_total',
    help: 'Bytes of demos downloaded and of clips uploaded.',
    labelNames: ['direction'],
    registers,
  });
  const reused = new Counter({
    name: 'tickreel_demos_reused_total',
    help: 'Clips that took a demo which was kept.',
    registers,
  });
  new Gauge({
    name: 'tickreel_phase',
    help: '1 for what the host is doing now.',
    labelNames: ['phase'],
    registers,
    collect() {
      for (const one of PHASES) this.set({ phase: one }, one === phase ? 1 : 0);
    },
  });
  new Gauge({
    name: 'tickreel_last_claim_age_seconds',
    help: 'Since the gateway last answered a claim. Grows while a job is worked on.',
    registers,
    collect() {
      this.set(claimAge());
    },
  });

  return {
    observer: {
      stageEnded: (stage, seconds) => stages.observe({ stage }, seconds),
      demoDownloaded: (count) => bytes.inc({ direction: 'downloaded' }, count),
      demoReused: () => reused.inc(),
      clipEncoded(count, seconds) {
        frames.inc(count);
        frameRate.set(count / seconds);
      },
      claimAnswered() {
        claimedAt = now();
      },
      phaseChanged(next) {
        // The claim after a job starts a new wait.
        if (next === 'idle' && phase !== 'idle') claimedAt = now();
        phase = next;
      },
      fileUploaded: (count) => bytes.inc({ direction: 'uploaded' }, count),
      jobEnded: ({ kind, code }) => jobs.inc({ outcome: kind, code: code ?? 'none' }),
    },
    text: () => registry.metrics(),
    health() {
      const age = claimAge();
      const status = phase === 'idle' && age > AWAY_AFTER_S ? 'away' : 'ok';
      return { status, phase, last_claim_age_s: Math.round(age) };
    },
  };
}

export interface MetricsServer {
  readonly port: number;
  close(): void;
}

/**
 * Serves `/metrics` (Prometheus) and `/healthz` (200, or 503 for a host that cannot reach the gateway). Rejects if the
 * port is taken.
 */
export async function serveMetrics(metrics: HostMetrics, port: number, address: string): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/metrics') {
      response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8').end(await metrics.text());
    } else if (path === '/healthz') {
      const health = metrics.health();
      const status = health.status === 'ok' ? 200 : 503;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(`${JSON.stringify(health)}\n`);
    } else response.writeHead(404).end();
  });
  await once(server.listen(port, address), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
