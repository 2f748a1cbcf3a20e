import { json } from '#http/json.ts';
import { isoTime } from '#protocol/job-view.ts';
import { BuildList } from '#protocol/operate.ts';
import { AT } from '#protocol/operator-examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { selectBuildVerdicts } from '#storage/game-builds.ts';

/** The latest verdicts that are shown. */
export const VERDICTS_SHOWN = 500;

export const listBuilds = operation({
  route: 'GET /admin/builds',
  scope: 'operator:read',
  handler: async ({ database }) => {
    const rows = await selectBuildVerdicts(database, VERDICTS_SHOWN);
    const builds = rows.map(({ gameBuild, demoBuild, verdict, jobs, firstAt, lastAt }) => ({
      ...{ game_build: gameBuild, demo_build: demoBuild, verdict, jobs },
      ...{ first_at: isoTime(firstAt), last_at: isoTime(lastAt) },
    }));
    return json({ builds });
  },
});

export const words = (): OperationWords => ({
  summary: 'List verdicts on builds of the game',
  command: 'builds list',
  description: 'The latest 500 verdicts on builds of the game with builds of demos. `/status/builds` has the same.',
  answers: {
    200: answer('The verdicts, the latest first.', BuildList, {
      builds: [
        { game_build: '1.41.6.0', demo_build: '14160', verdict: 'passed', jobs: 812, first_at: AT, last_at: AT },
        { game_build: '1.41.6.0', demo_build: 'golden', verdict: 'passed', jobs: 0, first_at: AT, last_at: AT },
      ],
    }),
  },
});
