import { randomUUID } from 'node:crypto';
import type { Rule, Stage } from './stage.ts';
import { completes, must } from './steps.ts';

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
