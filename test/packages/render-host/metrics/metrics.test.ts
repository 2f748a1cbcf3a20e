import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createHostMetrics, type HostMetrics, serveMetrics } from '#render-host/metrics/host-metrics.ts';
import { createStageClock } from '#render-host/pipeline/render-observer.ts';

let now: number;
let metrics: HostMetrics;

beforeEach(() => {
  now = 1000;
  metrics = createHostMetrics(() => now);
});

async function lines(): Promise<string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith('tickreel_'));
}

describe('the metrics of a host', () => {
  it('count jobs by outcome and code, stages, frames and bytes', async () => {
    const { observer } = metrics;
    observer.jobEnded({ kind: 'completed' });
    observer.jobEnded({ kind: 'failed', code: 'demo_404' });
    observer.jobEnded({ kind: 'failed', code: 'demo_404' });
    observer.stageEnded('parse', 7);
    observer.clipEncoded(300, 10);
    observer.demoDownloaded(5000);
    observer.fileUploaded(700);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'tickreel_jobs_total{outcome="completed",code="none"} 1',
        'tickreel_jobs_total{outcome="failed",code="demo_404"} 2',
        'tickreel_stage_seconds_sum{stage="parse"} 7',
        'tickreel_frames_total 300',
        'tickreel_encode_frames_per_second 30',
        'tickreel_bytes_total{direction="downloaded"} 5000',
        'tickreel_bytes_total{direction="uploaded"} 700',
      ]),
    );
  });

  it('have the host’s phase, and the time since the gateway answered a claim', async () => {
    metrics.observer.claimAnswered();
    metrics.observer.phaseChanged('render');
    now += 12_000;
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'tickreel_phase{phase="render"} 1',
        'tickreel_phase{phase="idle"} 0',
        'tickreel_last_claim_age_seconds 12',
      ]),
    );
  });

  it('report an idle host without answers as away, and not one that works for long', () => {
    now += 100_000;
    expect(metrics.health()).toEqual({ status: 'ok', phase: 'idle', last_claim_age_s: 100 });
    now += 100_000;
    expect(metrics.health().status).toBe('away');
    metrics.observer.phaseChanged('render');
    expect(metrics.health().status).toBe('ok');
    metrics.observer.phaseChanged('idle');
    expect(metrics.health()).toEqual({ status: 'ok', phase: 'idle', last_claim_age_s: 0 });
  });

  it('are served over HTTP', async () => {
    const server = await serveMetrics(metrics, 0, '127.0.0.1');
    onTestFinished(() => server.close());
    const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
    const served = await get('/metrics');
    expect(served.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await served.text()).toContain('nodejs_eventloop_lag_seconds');
    expect((await get('/healthz')).status).toBe(200);
    now += 1_000_000;
    expect((await get('/healthz')).status).toBe(503);
    expect((await get('/')).status).toBe(404);
    await expect(serveMetrics(metrics, server.port, '127.0.0.1')).rejects.toThrow('EADDRINUSE');
  });
});

describe('the clock of stages', () => {
  it('ends a stage when the next begins, or when all are over', () => {
    const ended: [string, number][] = [];
    const clock = createStageClock(
      (stage, seconds) => ended.push([stage, seconds]),
      () => now,
    );
    clock.enter('download');
    now += 2000;
    clock.enter('download');
    now += 1000;
    clock.enter('parse');
    now += 500;
    clock.end();
    clock.end();
    expect(ended).toEqual([
      ['download', 3],
      ['parse', 0.5],
    ]);
  });
});
