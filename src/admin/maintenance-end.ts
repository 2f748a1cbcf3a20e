import { noContent } from '#http/json.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { deleteControl } from '#storage/controls.ts';

export const endMaintenance = operation({
  route: 'DELETE /admin/maintenance',
  scope: 'operator:operate',
  handler: async ({ database, controls }) => {
    await deleteControl(database, 'maintenance');
    await controls.readAnew();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'End maintenance',
  command: 'maintenance off',
  description: 'Takes work again, everywhere within ten seconds.',
  answers: { 204: { description: 'Maintenance is off: new work is accepted.' } },
});
