import { WorkerEntrypoint } from 'cloudflare:workers';
import { reasonOf } from '#domain/lib/text.ts';
import { withCors } from '#http/cors.ts';
import { createRouter, type Fetch, withOneSlash } from '#http/router.ts';
import type { RuleRunsRpc, RunId } from '#rpc/bindings.ts';
import { type Bindings, createService, type Service } from '#service/lib/service.ts';
import { sendAlerts, sendHeartbeat } from '#service/operate/alerts.ts';
import { advanceRuns } from '#service/rule/advance-runs.ts';
import { unknownAddress } from '#src/page/note-page.ts';
import { runUpkeep } from './cron/upkeep.ts';
import { createRoutes } from './routes.ts';

export { Dispatcher } from '#durable-objects/dispatcher/dispatcher.ts';
export { PurgeQueue } from '#durable-objects/purge-queue/purge-queue.ts';
export { PushHost } from '#durable-objects/push-host/push-host.ts';
export { RenderJob } from '#durable-objects/render-job/render-job.ts';

/** The parts of one isolate, built at its first request. */
interface Isolate {
  readonly service: Service;
  readonly app: Fetch;
}

let isolate: Isolate | null = null;

function isolateOf(env: Bindings): Isolate {
  if (isolate === null) {
    const service = createService(env);
    isolate = { service, app: createApp(service) };
  }
  return isolate;
}

/** Takes runs of rules on when the index has the end of a job. */
export class RuleRuns extends WorkerEntrypoint<Bindings> implements RuleRunsRpc {
  advance(of: string | RunId): Promise<void> {
    return advanceRuns(isolateOf(this.env).service, of);
  }
}

/** Creates the router of the whole service. */
export function createApp(service: Service): Fetch {
  const { log, settings } = service;
  const options = { log, baseUrl: settings.baseUrl, isSampled: () => service.random() < settings.logSample };
  const routes = createRoutes(service);
  const app = withOneSlash(
    withCors(
      createRouter(routes, (asked) => unknownAddress(service, asked), options),
      '/api/',
    ),
  );
  if (!settings.baseUrl.startsWith('https:')) return app;
  return async (request, platform) => {
    const response = await app(request, platform);
    response.headers.set('Strict-Transport-Security', 'max-age=31536000');
    return response;
  };
}

export default {
  fetch: (request, env, context) => isolateOf(env).app(request, context),

  async scheduled(controller, env) {
    const { service } = isolateOf(env);
    const done = await runUpkeep(service, controller.scheduledTime).catch(reasonOf);
    const upkeepError = typeof done === 'string' ? done : null;
    const alertError = await sendAlerts(service, upkeepError).then(() => null, reasonOf);
    const failed = [
      ...(upkeepError === null ? [] : [`upkeep failed: ${upkeepError}`]),
      ...(alertError === null ? [] : [`alerts could not be sent: ${alertError}`]),
    ];
    service.log('upkeep done', { done, failed }, failed.length > 0 ? 'error' : 'info');
    if (failed.length > 0) throw new Error(failed.join('; '));
    await sendHeartbeat(service).catch((error) => {
      service.log('the heartbeat was not sent', { error: reasonOf(error) });
    });
  },
} satisfies ExportedHandler<Bindings>;
