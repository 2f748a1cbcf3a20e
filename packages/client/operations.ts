import { API_ROUTES, type RouteLine } from '#protocol/routes.ts';
import type { AccountOperations } from './shapes.ts';
import { type ApiRequest, type Query, type RequestOptions, requestTo, type Transport, withQuery } from './transport.ts';

/** The address of each operation. */
export type Named<Operations> = Record<keyof Operations, RouteLine>;
export const ACCOUNT: Named<AccountOperations> = API_ROUTES;

/** They change something, and doing it twice changes nothing more. */
const REPEATABLE: ReadonlySet<string> = new Set<keyof AccountOperations>([
  'saveClip',
  'unsaveClip',
  'inspectDemo',
  'createUpload',
  'completeUpload',
]);

type Input<Operation> = Omit<Operation, 'answer' | 'event'>;
type Arguments<Operation> =
  Partial<Input<Operation>> extends Input<Operation>
    ? [input?: Input<Operation>, options?: RequestOptions]
    : [input: Input<Operation>, options?: RequestOptions];

/** The operations that are answered once: all but streams of events. */
type Answered<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends { answer: unknown } ? Name : never;
}[keyof Operations];

/** Makes one call by the name that the service's reference has for it: `call('getJob', { params: { id } })`. */
export type CallOperation<Operations> = <Name extends Answered<Operations>>(
  name: Name,
  ...args: Arguments<Operations[Name]>
) => Promise<Operations[Name] extends { answer: infer Answer } ? Answer : never>;

/** What any operation may be given, for the code that sends it. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
}

/** The request of an operation by its name. */
function operationRequest(routes: Readonly<Record<string, RouteLine>>, name: string, input: AnyInput): ApiRequest {
  const line = routes[name];
  if (line === undefined) throw new TypeError(`There is no operation ${name}.`);
  const { isRepeatable, ...request } = requestTo(line as 'GET /:id', { id: '', ...input.params });
  return withQuery(
    { ...request, body: input.body, isRepeatable: isRepeatable || REPEATABLE.has(name) || hasKey(name, input.body) },
    input.query,
  );
}

function hasKey(name: string, body: unknown): boolean {
  return name === 'submitClip' && typeof Object(body).idempotency_key === 'string';
}

export function createCall<Operations>(transport: Transport, routes: Named<Operations>): CallOperation<Operations> {
  const call = (name: string, input: AnyInput = {}, options?: RequestOptions) =>
    transport.send(operationRequest(routes, name, input), readAnswer, options);
  return call as CallOperation<Operations>;
}

async function readAnswer(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  return response.headers.get('Content-Type')?.includes('json') ? response.json() : response.text();
}
