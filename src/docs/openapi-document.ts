import document from '../openapi.json' with { type: 'json' };

/** What the reference page reads of the document that `npm run openapi` writes. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  /** Shape of the data of events. */
  readonly contentSchema?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number;
  readonly format?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: string;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

type PathItem = Readonly<Record<string, Operation>>;

export interface OpenApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

export const OPENAPI = document as unknown as OpenApiDocument;

/** Which part of the document is for whom; webhooks are told of in the guide. */
export const GATEWAY_TAGS: readonly string[] = ['Gateway'];
export const OPERATOR_TAGS: readonly string[] = ['Administration'];
const NOT_FOR_CLIENTS = new Set([...GATEWAY_TAGS, ...OPERATOR_TAGS]);
export const CLIENT_TAGS: readonly string[] = OPENAPI.tags
  .map(({ name }) => name)
  .filter((name) => !NOT_FOR_CLIENTS.has(name) && operationsOf(name).length > 0);

/** An operation with its address. `method` is in capitals; `path` has its parameters in braces. */
export interface AddressedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The operations of a tag. HEAD only repeats GET, so it is left out. */
export function operationsOf(tag: string): AddressedOperation[] {
  return Object.entries(OPENAPI.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method, operation]) => method !== 'head' && operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The name of what a schema refers to; null when it stands for itself. */
export function referredName(schema: Schema): string | null {
  return schema.$ref?.split('/').at(-1) ?? null;
}

/** A schema with its reference followed. */
export function resolveSchema(schema: Schema): Schema {
  const name = referredName(schema);
  return name === null ? schema : { ...OPENAPI.components.schemas[name], ...schema };
}

/** An answer with its reference followed. */
export function resolveAnswer(answer: Answer): Answer {
  const name = answer.$ref?.split('/').at(-1);
  return name === undefined ? answer : (OPENAPI.components.responses[name] ?? answer);
}
