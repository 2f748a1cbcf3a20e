import { noContent } from '#http/json.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { noteVerdict, OPERATOR } from '#storage/game-builds.ts';

export const trustBuild = operation({
  route: 'PUT /admin/builds/:build',
  scope: 'operator:operate',
  handler: async ({ database, now }, { params }) => {
    await noteVerdict(database, { gameBuild: params.build, demoBuild: OPERATOR, verdict: 'passed', jobs: 0 }, now());
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'Count a build of the game as proven',
  command: 'builds trust <build>',
  description:
    'Hosts with this build get jobs without golden demos, and after those of other hosts failed. A host whose own golden demo fails still gets none.',
  answers: { 204: { description: 'The build counts as one that has recorded.' } },
});
