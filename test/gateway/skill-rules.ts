import type { Skill } from '#domain/need.ts';
import type { Rule, Stage } from './stage.ts';
import { asksAgain, completes, fails, must, ONE_JOB } from './steps.ts';

/** Returns whether the first claim reports a skill. */
async function says({ gateway, until }: Stage, skill: Skill): Promise<boolean> {
  await until('a claim', () => gateway.of('claimJob').length > 0);
  const [claim] = gateway.of('claimJob');
  const { skills = [] } = (claim?.values.capabilities ?? {}) as { readonly skills?: readonly Skill[] };
  return skills.includes(skill);
}
const UPLOADED = { more: { is_uploaded_demo: true }, order: { demo_url: 'https://127.0.0.1:1/api/uploads/a-demo' } };
const LOOK = { claims: ['job', 'none'], order: { selection: { mode: 'inspect' } } } as const;

/** Rules for a host that reports skills beyond rendering. */
export const SKILL_RULES: readonly Rule[] = [
  {
    says: 'fetches an uploaded demo from the gateway, if it reports that skill',
    script: ({ demoPath }) => ({ ...ONE_JOB, ...UPLOADED, uploaded: demoPath }),
    async play(stage) {
      if (!(await says(stage, 'uploads'))) return;
      await completes(stage);
      must(stage.gateway.of('fetchDemo').length > 0, 'it rendered without');
    },
  },
  {
    says: 'fails a job whose uploaded demo was deleted with demo_404, if it reports that skill',
    script: () => ({ ...ONE_JOB, ...UPLOADED }),
    async play(stage) {
      if (!(await says(stage, 'uploads'))) return;
      const code = await fails(stage);
      must(code === 'demo_404', `the code was ${code}`);
    },
  },
  {
    says: 'reports what it finds in a demo, makes no clip, and claims again, if it reports that skill',
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
    says: 'fails with demo_404 if the demo to inspect is missing, if it reports that skill',
    script: () => LOOK,
    demo: 'missing',
    async play(stage) {
      if (!(await says(stage, 'inspect'))) return;
      const code = await fails(stage);
      must(code === 'demo_404', `the code was ${code}`);
    },
  },
];
