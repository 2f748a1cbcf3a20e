import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { deleteVerdicts } from '#storage/game-builds.ts';

export const forgetBuild = operation({
  route: 'DELETE /admin/builds/:build',
  scope: 'operator:operate',
  handler: async ({ database }, { params }) => {
    if (!(await deleteVerdicts(database, params.build))) throw notFound();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'Delete the verdicts on a build of the game',
  command: 'builds forget <build>',
  description: 'The build is unproven again. Hosts with golden demos repeat their verdicts with their next claim.',
  answers: { 204: { description: 'There are none now.' } },
});
