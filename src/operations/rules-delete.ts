import { operation, type Words } from '#service/operation.ts';
import { removeRule } from '#storage/rules.ts';
import { requireRule } from './rule-view.ts';

export const deleteRule = operation({
  route: 'DELETE /api/rules/:id',
  scope: 'account:submit',
  answers: { 204: null },
  handler: async (service, { caller, params, reply }) => {
    const { id } = await requireRule(service, caller, params.id);
    await removeRule(service.database, id);
    return reply(204, null);
  },
});

export const words = (): Words => ({
  deleteRule: {
    tag: 'Rules',
    summary: 'Delete a rule',
    description: 'Deletes the rule with its runs. Submitted jobs and their clips stay.',
    answers: { 204: { description: 'The rule is deleted.' } },
  },
});
