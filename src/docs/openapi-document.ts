import type { PUBLIC_ROUTES } from '#protocol/routes.ts';

/** The addresses of the OpenAPI documents. Each is a file of the same path in src/static (`npm run openapi`). */
export type DocumentRoute = (typeof PUBLIC_ROUTES)['openApi' | 'gatewayOpenApi' | 'operatorOpenApi'];

/** The part of an OpenAPI document that the reference uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  /** The shape of an event's data. */
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

export interface OpenApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

type PathItem = Readonly<Record<string, OpenApiOperation>>;

export interface OpenApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
  };
}

/** The document with the settings of the deployment that the reference shows. */
export interface Reference {
  readonly document: OpenApiDocument;
  /** The service's URL. */
  readonly baseUrl: string;
  /** How long an unsaved clip is kept, in milliseconds. */
  readonly clipTtl: number;
}

/** Returns the tags that have operations. The guide describes webhooks. */
export function tagsOf(document: OpenApiDocument): readonly string[] {
  return document.tags.map(({ name }) => name).filter((name) => operationsOf(document, name).length > 0);
}

/** An operation with its method in capitals and its path with parameters in braces. */
export interface AddressedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** Returns the operations of a tag. */
export function operationsOf({ paths }: OpenApiDocument, tag: string): AddressedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** Returns the name of the schema that a schema refers to; null if it is no reference. */
export function referredName(schema: Schema): string | null {
  return schema.$ref?.split('/').at(-1) ?? null;
}

/** Follows the reference of a schema. */
export function resolveSchema({ components }: OpenApiDocument, schema: Schema): Schema {
  const name = referredName(schema);
  return name === null ? schema : { ...components.schemas[name], ...schema };
}

/** Follows the reference of an answer. */
export function resolveAnswer({ components }: OpenApiDocument, answer: OpenApiResponse): OpenApiResponse {
  const name = answer.$ref?.split('/').at(-1);
  return name === undefined ? answer : (components.responses[name] ?? answer);
}
