import type { Skill } from '#domain/need.ts';
import type { Rule, Stage } from './stage.ts';
import { asksAgain, completes, fails, must, ONE_JOB } from './steps.ts';

/** What a host says of it beyond rendering, in its first claim. */
async function says({ gateway, until }: Stage, skill: Skill): Promise<boolean> {
  await until('a claim', () => gateway.of('claimJob').length > 0);
  const [claim] = gateway.of('claimJob');
  const { skills = [] } = (claim?.said.capabilities ?? {}) as { readonly skills?: readonly Skill[] };
  return skills.includes(skill);
}
const UPLOADED = { more: { is_uploaded_demo: true }, order: { demo_url: 'https://127.0.0.1:1/api/uploads/a-demo' } };
const LOOK = { claims: ['job', 'none'], order: { selection: { mode: 'inspect' } } } as const;

/** What holds of a host that says more of itself than that it renders. */
export const SKILL_RULES: readonly Rule[] = [
  {
    says: 'fetches an uploaded demo from the gateway, if it says that it can',
    script: ({ demoPath }) => ({ ...ONE_JOB, ...UPLOADED, uploaded: demoPath }),
    async play(stage) {
      if (!(await says(stage, 'uploads'))) return;
      await completes(stage);
      must(stage.gateway.of('fetchDemo').length > 0, 'it rendered without');
    },
  },
  {
    says: 'fails a job whose uploaded demo was deleted with demo_404, if it says that it can fetch one',
    script: () => ({ ...ONE_JOB, ...UPLOADED }),
    async play(stage) {
      if (!(await says(stage, 'uploads'))) return;
      const code = await fails(stage);
      must(code === 'demo_404', `the code was ${code}`);
    },
  },
  {
    says: 'reports what it finds in a demo, makes no clip of it, and asks for more, if it says that it can',
    script: () => LOOK,
    async play(stage) {
      if (!(await says(stage, 'inspect'))) return;
      const { gateway } = stage;
      await stage.until('a report', () => gateway.of('jobInspected').some(({ answer }) => answer === 204));
      await asksAgain(stage);
      must(gateway.of('beginUpload').length === 0, 'it uploaded something');
    },
  },
  {
    says: 'fails with demo_404 where a demo to look into is not there, if it says that it can',
    script: () => LOOK,
    demo: 'missing',
    async play(stage) {
      if (!(await says(stage, 'inspect'))) return;
      const code = await fails(stage);
      must(code === 'demo_404', `the code was ${code}`);
    },
  },
];
