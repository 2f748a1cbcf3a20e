import { randomUUID } from 'node:crypto';
import type { Skill } from '#domain/need.ts';
import { asksAgain, completes, fails, must, ONE_JOB, type Rule, type Stage } from './stage.ts';

const script = () => ({ claims: [] });
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

async function takes({ send }: Stage, grant: Parameters<Stage['send']>[0]): Promise<void> {
  const { status } = await send(grant);
  must(status === 202, `it answered ${status}`);
}

/** Rules for a host that is sent its jobs, one at a time, instead of the rules about claims. */
export const PUSH_RULES: readonly Rule[] = [
  {
    says: 'takes a signed grant with 202, also when it comes twice, and makes its clip',
    script,
    async play(stage) {
      const grant = stage.gateway.grant();
      await takes(stage, grant);
      await takes(stage, grant);
      await completes(stage);
    },
  },
  {
    says: 'refuses a grant that is not signed, or with another secret, or over five minutes ago',
    script,
    async play(stage) {
      const grant = stage.gateway.grant();
      for (const how of [{ secret: null }, { secret: OTHER_SECRET }, { ageS: 310 }]) {
        const { status } = await stage.send(grant, how);
        must(status >= 400 && status < 500, `it answered ${status}`);
      }
      await takes(stage, grant);
      await completes(stage);
    },
  },
  {
    says: 'answers 429 or 503 with Retry-After while it works on as many jobs as it can',
    script,
    async play(stage) {
      const grant = stage.gateway.grant();
      await takes(stage, grant);
      const { status, headers } = await stage.send({ ...grant, job_id: randomUUID() });
      must([429, 503].includes(status) && headers.has('Retry-After'), `it answered ${status}`);
      await completes(stage);
    },
  },
];

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
