import { operation, type Words } from '#service/operation.ts';
import { deleteControl } from '#storage/controls.ts';

export const endMaintenance = operation({
  route: 'DELETE /admin/maintenance',
  scope: 'operator:operate',
  answers: { 204: null },
  handler: async ({ database, controls }, { reply }) => {
    await deleteControl(database, 'maintenance');
    await controls.readAnew();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  endMaintenance: {
    summary: 'End maintenance',
    command: 'maintenance off',
    description: 'Takes work again, everywhere within ten seconds.',
    answers: { 204: { description: 'Maintenance is off: new work is accepted.' } },
  },
});
