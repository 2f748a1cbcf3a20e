import type { Bindings } from '../durable-objects/bindings.ts';
import { loadSettings } from '../durable-objects/settings.ts';
import { createRouter, type Fetch } from '../http/router.ts';
import { gatewayRoutes } from '../render-gateway/routes.ts';
import { adminRoutes } from './admin-routes.ts';
import { apiRoutes } from './api-routes.ts';
import { unknownAddress } from './pages/absent-clip.ts';
import { publicRoutes } from './public-routes.ts';
import { runUpkeep } from './upkeep.ts';

export { Dispatcher } from '../durable-objects/dispatcher/dispatcher.ts';
export { RenderJob } from '../durable-objects/render-job/render-job.ts';

let app: Fetch | null = null;

/** The whole service at the edge. Built once an isolate, at its first request. */
export function createApp(env: Bindings): Fetch {
  const settings = loadSettings(env);
  const routes = [
    ...apiRoutes(env),
    ...publicRoutes(env, settings),
    ...gatewayRoutes(env, settings),
    ...adminRoutes(env, settings),
  ];
  return createRouter(routes, unknownAddress);
}

export default {
  fetch(request, env, context) {
    app ??= createApp(env);
    return app(request, context);
  },

  async scheduled(controller, env) {
    await runUpkeep(env, loadSettings(env).clipTtl, controller.scheduledTime);
  },
} satisfies ExportedHandler<Bindings>;
