import { noContent } from '#http/json.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { removeRule } from '#storage/rules.ts';
import { requireRule } from './rule-view.ts';

export const deleteRule = operation({
  route: 'DELETE /api/rules/:id',
  scope: 'account:submit',
  handler: async (service, { caller, params }) => {
    const { id } = await requireRule(service, caller, params.id);
    await removeRule(service.database, id);
    return noContent();
  },
});

export const words = (): OperationWords => ({
  tag: 'Rules',
  summary: 'Delete a rule',
  description: 'Deletes the rule with its runs. Submitted jobs and their clips stay.',
  answers: { 204: { description: 'The rule is deleted.' } },
});
