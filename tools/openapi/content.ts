import type * as z from 'zod';
import type { ZodOpenApiContentObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { Problem } from '#protocol/problem.ts';
import { eventText } from '#protocol/server-sent.ts';
import type { Answer, Content } from './operation.ts';

const PROBLEM_TYPE = 'application/problem+json';

/** A body as the document describes it. */
export function contentObject(content: Content): ZodOpenApiContentObject {
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
          contentSchema: { $ref: componentOf(content.eventSchema) },
        },
        example: formatEvents(content.events),
      },
    };
  }
  return { 'application/json': { schema: content.schema, examples: { ...content.examples } } };
}

/** An answer that is no problem. */
export function responseObject({ description, content, headers = {} }: Answer): ZodOpenApiResponseObject {
  return {
    description,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...Object.fromEntries(
        Object.entries(headers).map(([name, { description: text, example }]) => [
          name,
          { description: text, example, schema: { type: 'string' } },
        ]),
      ),
    },
    ...(content ? { content: contentObject(content) } : {}),
  };
}

/** Where the document has a schema that it names. */
function componentOf(schema: z.ZodType): string {
  return `#/components/schemas/${schema.meta()?.id}`;
}

function formatEvents(events: readonly unknown[]): string {
  return events.map((data, i) => eventText({ id: String(i + 1), data }, i === 0)).join('');
}
