import type { ZodOpenApiContentObject, ZodOpenApiRequestBodyObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { AnswerWords, Content, HeaderWords } from '#protocol/lib/operation-words.ts';
import { Problem } from '#protocol/lib/problem.ts';
import { eventText } from '#protocol/lib/text-formats.ts';
import type { DescribedOperation } from './described-operation.ts';

const PROBLEM_TYPE = 'application/problem+json';

function contentObject(content: Content): ZodOpenApiContentObject {
  if ('types' in content) {
    return Object.fromEntries(content.types.map((type) => [type, type === PROBLEM_TYPE ? { schema: Problem } : {}]));
  }
  if ('events' in content) {
    return {
      'text/event-stream': {
        schema: {
          type: 'string',
          description: 'The data of each event is JSON.',
          contentMediaType: 'application/json',
          contentSchema: { $ref: `#/components/schemas/${content.eventSchema.meta()?.id}` },
        },
        example: content.events.map((data, i) => eventText({ id: String(i + 1), data }, i === 0)).join(''),
      },
    };
  }
  const { schema, examples, otherType } = content;
  return { 'application/json': { schema, examples: { ...examples } }, ...(otherType && { [otherType]: {} }) };
}

/** Returns the body that an operation takes; undefined if it takes none. */
export function bodyOf({ operation, words }: DescribedOperation): Content | undefined {
  const { body } = words;
  if (!body || 'types' in body) return body;
  if (!operation.body) throw new Error(`"${words.summary}" has examples of a body without a schema`);
  return { schema: operation.body, ...body };
}

export function bodyObject(described: DescribedOperation): ZodOpenApiRequestBodyObject | undefined {
  const body = bodyOf(described);
  return body && { required: true, content: contentObject(body) };
}

/** Returns what an operation answers with a status; undefined for an answer without a body. */
export function answerOf({ operation, words }: DescribedOperation, status: number): Content | undefined {
  const { content, examples, otherType } = words.answers[status] ?? {};
  const schema = operation.answers?.[status];
  return schema && examples ? { schema, examples, ...(otherType && { otherType }) } : content;
}

/** Describes an answer that is no problem. */
export function responseObject(
  { description, headers = {} }: AnswerWords,
  content: Content | undefined,
): ZodOpenApiResponseObject {
  const described = headerObjects(Object.entries(headers));
  return { description, headers: described, ...(content ? { content: contentObject(content) } : {}) };
}

/** Describes the headers of an answer, which has `X-Request-Id` in any case. */
export function headerObjects(
  headers: readonly (readonly [name: string, HeaderWords])[],
): NonNullable<ZodOpenApiResponseObject['headers']> {
  const texts = headers.map(([name, { description, example }]) => {
    return [name, { description, example, schema: { type: 'string' as const } }] as const;
  });
  return { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...Object.fromEntries(texts) };
}
