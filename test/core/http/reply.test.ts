import { expect, it } from 'vitest';
import { reply, toResponse } from '#http/reply.ts';
import { JobRef } from '#protocol/job-view.ts';
import { operation } from '#service/operation.ts';

const ID = '5e1ec7ed-0c11-4d1c-8a5e-7ea5e7a11e5d';

it('takes the statuses and the fields of the answers only', () => {
  const { answers } = operation({
    route: 'GET /api/jobs',
    scope: 'public',
    answers: { 200: JobRef, 204: null },
    handler: (_, { reply }) => {
      // @ts-expect-error a field of another type
      reply(200, { job_id: 1 });
      // @ts-expect-error a missing field
      reply(200, {});
      // @ts-expect-error an unknown field
      reply(200, { job_id: ID, clip_id: ID });
      // @ts-expect-error a status that is not declared
      reply(201, { job_id: ID });
      // @ts-expect-error a body of an answer without one
      reply(204, { job_id: ID });
      return reply(200, { job_id: ID });
    },
  });
  expect(Object.keys(answers ?? {})).toEqual(['200', '204']);
});

it('is written as JSON in the order of its fields, and is not kept by caches', async () => {
  const response = toResponse(reply(201, { b: 1, a: undefined, c: null }, { Location: '/b' }));
  expect(await response.text()).toBe('{"b":1,"c":null}');
  expect([response.status, Object.fromEntries(response.headers)]).toEqual([
    201,
    { 'content-type': 'application/json', 'cache-control': 'no-store', location: '/b' },
  ]);
});

it('has no body and no type where there is nothing to say', () => {
  const response = toResponse(reply(204, null));
  expect([response.status, response.body, response.headers.get('Content-Type')]).toEqual([204, null, null]);
});

it('leaves a response as it is', () => {
  const file = new Response('file');
  expect(toResponse(file)).toBe(file);
});
