import { invalidRequest } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { BlockRequest, BlockView } from '#protocol/controls.ts';
import { blockEntryOf } from '#protocol/demo-url.ts';
import { BLOCK } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { MOST_BLOCKS, putControl } from '#storage/controls.ts';
import { blockView } from './controls-get.ts';

export const addBlock = operation({
  route: 'POST /admin/blocks',
  scope: 'operator:operate',
  body: BlockRequest,
  answers: { 201: BlockView },
  handler: async ({ database, controls, now }, { caller, body, reply }) => {
    const { address, reason } = await body();
    const name = blockEntryOf(address);
    if (name === null) throw invalidRequest([{ path: 'address', message: 'must be a domain or an http(s) URL' }]);
    const named = { id: crypto.randomUUID(), kind: 'block', name, until: null } as const;
    const block = await putControl(database, { ...named, reason, createdAt: now(), operator: caller.name });
    if (block === null) throw limitReached(`There are ${MOST_BLOCKS} blocks already: remove some.`);
    await controls.readAnew();
    return reply(201, blockView(block));
  },
});

export const words = (): Words => ({
  addBlock: {
    summary: 'Block a demo domain or URL',
    command: 'blocks add <address>',
    description:
      'New jobs and inspections of it fail with `demo_url_rejected`, as on a domain that is not accepted; so do waiting jobs when a host would get them, and downloads that are redirected to it. A download that has begun goes on. In force everywhere within ten seconds.',
    body: { examples: only({ address: 'files.example.org', reason: BLOCK.reason }) },
    answers: { 201: answer('The domain or URL is blocked.', BLOCK) },
    problems: ['limit_reached'],
  },
});
