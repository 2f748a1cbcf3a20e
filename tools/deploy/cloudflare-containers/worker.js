import { Container, getContainer } from '@cloudflare/containers';
import { isSigned } from '#protocol/lib/signed-message.ts';

/** NOT TRIED. The Worker in front of render hosts in containers: docs/push-hosts.md. */

const GRANTS_PORT = 8080;
const METRICS_PORT = 9464;

/** One render host, started by the grant that it is sent. */
export class RenderContainer extends Container {
  defaultPort = GRANTS_PORT;
  /** No request reaches it while it renders: see below. */
  sleepAfter = '30s';

  constructor(ctx, env) {
    super(ctx, env);
    this.envVars = {
      TICKREEL_URL: env.TICKREEL_URL,
      TICKREEL_HOST_TOKEN: env.TICKREEL_HOST_TOKEN,
      TICKREEL_PUSH_SECRET: env.TICKREEL_PUSH_SECRET,
      TICKREEL_SERVE: String(GRANTS_PORT),
      TICKREEL_METRICS_PORT: String(METRICS_PORT),
      TICKREEL_METRICS_ADDRESS: '0.0.0.0',
    };
  }

  /** It is only stopped when it has nothing to do. */
  // biome-ignore lint/plugin: JavaScript has no types to say it with
  async onActivityExpired() {
    const health = await this.containerFetch('http://container/healthz', {}, METRICS_PORT).catch(() => null);
    const { phase } = health?.ok ? await health.json() : { phase: 'idle' };
    if (phase === 'idle') await super.onActivityExpired();
  }
}

export default {
  async fetch(request, env) {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const body = await request.text();
    // Asked here as well: nobody else is to start containers.
    const signed = { header: (name) => request.headers.get(name), body, now: Date.now() };
    if (!(await isSigned(env.TICKREEL_PUSH_SECRET, signed))) return new Response(null, { status: 401 });
    // A container a job. The service sends no more at a time than the host has slots.
    const { job_id } = JSON.parse(body);
    const { headers } = request;
    return getContainer(env.CONTAINER, job_id).fetch(new Request(request.url, { method: 'POST', headers, body }));
  },
};
