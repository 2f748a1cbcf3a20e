import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { Demo } from '#protocol/demos.ts';
import { DEMO, PENDING_DEMO } from '#protocol/examples.ts';
import { type OperationWords, operation } from '#service/operation.ts';

/** Reads the inspection from its object. */
export const getDemo = operation({
  route: 'GET /api/demos/:id',
  scope: 'account:read',
  handler: async ({ job }, { caller, params }) => {
    return json(accepted(await job(params.id).readDemo(caller.accountId)));
  },
});

export const words = (): OperationWords => ({
  tag: 'Demos',
  summary: 'Read what is in a demo',
  description: 'While it is `pending`, ask again after a second or two.',
  answers: {
    200: {
      description: 'The demo.',
      content: {
        schema: Demo,
        examples: {
          ready: { summary: 'What was found', value: DEMO },
          pending: { summary: 'Not read yet', value: PENDING_DEMO },
        },
      },
    },
  },
});
