import { accepted } from '#http/accepted.ts';
import { DemoFilter, filteredMatch } from '#protocol/demo-filter.ts';
import { Demo } from '#protocol/demos.ts';
import { DEMO, PENDING_DEMO } from '#protocol/examples.ts';
import { operation, type Words } from '#service/operation.ts';

/** Reads the inspection from its object. What the query leaves out is not sent. */
export const getDemo = operation({
  route: 'GET /api/demos/:id',
  scope: 'account:read',
  query: DemoFilter,
  answers: { 200: Demo },
  handler: async ({ job }, { caller, params, query, reply }) => {
    const filter = query();
    const demo = accepted(await job(params.id).readDemo(caller.accountId));
    const isFiltered = Object.keys(filter).length > 0;
    return reply(200, demo.match && isFiltered ? { ...demo, match: filteredMatch(demo.match, filter) } : demo);
  },
});

export const words = (): Words => ({
  getDemo: {
    tag: 'Demos',
    summary: 'Read what is in a demo',
    description:
      'While it is `pending`, ask again after a second or two. The query narrows `kills` and `highlights`; players and rounds stay. With `best_of` and, say, `team=CT`, it writes the timeline of the best moments of a whole team, ready to submit.',
    answers: {
      200: {
        description: 'The demo and its contents.',
        examples: {
          ready: { summary: 'What was found', value: DEMO },
          pending: { summary: 'Not read yet', value: PENDING_DEMO },
        },
      },
    },
  },
});
