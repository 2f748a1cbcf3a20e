import { pino } from 'pino';
import { runAgent } from '#render-host/agent/agent.ts';
import { createGatewayClient } from '#render-host/agent/gateway-client.ts';
import type { RenderClip } from '#render-host/pipeline/render-clip.ts';
import { CAPABILITIES } from '#test/support/test-host.ts';
import type { createFakeGateway } from './agent/fake-gateway.ts';

type FakeGateway = Awaited<ReturnType<typeof createFakeGateway>>;

/** Runs a host until it has reported on its first job and asks for the next. */
export async function runOneJob(gateway: FakeGateway, renderClip: RenderClip, workDir: string): Promise<void> {
  const drain = new AbortController();
  const client = createGatewayClient(gateway.url, 'tr_host_test');
  const agent = { gateway: client, renderClip, workDir, log: pino({ level: 'silent' }) };
  const ended = runAgent(agent, CAPABILITIES, drain.signal);
  await gateway.next('claim');
  await gateway.next('claim');
  drain.abort();
  await ended;
}
