import { Reindexed, ReindexRequest } from '#protocol/recovery.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { askAll } from '../each-of.ts';

/** The platform lists objects by their own ids, which do not reveal the job. */
export const reindexJobs = operation({
  route: 'POST /admin/reindex',
  scope: 'operator:admin',
  body: ReindexRequest,
  answers: { 200: Reindexed },
  handler: async ({ jobObject }, { body, reply }) => {
    const { objects } = await body();
    const answers = await askAll(objects, async (id) => jobObject(id).reindex());
    const count = (answer: string) => answers.filter((one) => one === answer).length;
    return reply(200, {
      indexed: count('indexed'),
      current: count('current'),
      empty: count('empty'),
      failed: objects.filter((_, i) => answers[i] === null),
    });
  },
});

export const words = (): Words => ({
  reindexJobs: {
    summary: 'Rebuild the index from the jobs',
    description:
      'Rebuilds an index that was restored or lost: each named object writes its rows and its public record if they are out of date. Repeatable.',
    body: { examples: only({ objects: ['5f'.repeat(32)] }) },
    answers: { 200: answer('The result for each object.', { indexed: 1, current: 0, empty: 0, failed: [] }) },
  },
});
