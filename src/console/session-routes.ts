import type { Operator } from '#domain/operator.ts';
import { bearerToken, unauthorized } from '#http/credentials.ts';
import { json, noContent } from '#http/json.ts';
import { bindRoutes, type Handler, type Route } from '#http/router.ts';
import { CONSOLE_ROUTES } from '#protocol/service-routes.ts';
import type { Service } from '#service/service.ts';
import type { IdentifyOperator } from '../admin/admin-auth.ts';
import { createSessions } from '../admin/session.ts';

type SessionHandler = Handler<Service, never, Operator>;

/** Returns the routes that begin and end an operator's session of the console, and that return whose session it is. */
export function sessionRoutes(service: Service, identify: IdentifyOperator): Route[] {
  const sessions = createSessions(service);
  const getSession: SessionHandler = (_, { caller: { name, role } }) => json({ name, role });
  const beginSession: SessionHandler = async (_, { request, caller: { id, name, role } }) => {
    // A session needs a token: a cookie must not extend its own session.
    if (bearerToken(request) === null) throw unauthorized();
    return json({ name, role }, 200, { 'Set-Cookie': await sessions.begin(request, id) });
  };
  const endSession: SessionHandler = async (_, { request }) => {
    const response = noContent();
    response.headers.set('Set-Cookie', await sessions.end(request));
    return response;
  };
  const binding = { service, admit: identify, readParam: (text: string) => text };
  return bindRoutes(CONSOLE_ROUTES, binding, { getSession, beginSession, endSession });
}
