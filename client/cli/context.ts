import { type Access, type ApiRequest, type Call, createCall } from '../call.ts';

/** Something about how the command was called is wrong. Exit status 2. */
export class UsageError extends Error {}

/**
 * Where the service is and with which token, out of the environment. Throws a `UsageError` that names what is missing.
 */
export function loadAccess(tokenVariable: 'TICKREEL_API_KEY' | 'TICKREEL_ADMIN_TOKEN'): Access {
  const { TICKREEL_URL: baseUrl } = process.env;
  const token = process.env[tokenVariable];
  const missing = [baseUrl ? null : 'TICKREEL_URL', token ? null : tokenVariable].filter((name) => name !== null);
  if (!baseUrl || !token) throw new UsageError(`Set ${missing.join(' and ')} in the environment.`);
  return { baseUrl: baseUrl.replace(/\/+$/, ''), token };
}

/** Sends one request and gives its JSON, null for an empty answer. */
export async function ask(call: Call, request: ApiRequest): Promise<unknown> {
  const response = await call(request);
  return response.status === 204 ? null : response.json();
}

/** Calls as the client of an account. */
export const asClient = (): Call => createCall(loadAccess('TICKREEL_API_KEY'));

/** Calls as the operator of the service. */
export const asOperator = (): Call => createCall(loadAccess('TICKREEL_ADMIN_TOKEN'));
