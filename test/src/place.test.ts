import { describe, expect, it } from 'vitest';
import type { Bindings } from '../../service/bindings.ts';
import { createService } from '../../service/service.ts';
import { bindings, createAccount, submit } from '../support/service.ts';

const placed = (variables: object) => createService({ ...bindings, ...variables } as Bindings);

/** test/platform/place.test.ts holds what is asked of a namespace; here a real one is asked. */
describe('the place of objects, in the local runtime', () => {
  it('may be near a region: the object of a name is the same one', async () => {
    const account = await createAccount();
    const jobId = await submit(account.metered);
    const { job } = placed({ LOCATION_HINT: 'weur' });
    expect(await job(jobId).read(account.id)).toMatchObject({ ok: true, value: { id: jobId } });
  });

  it('cannot be a jurisdiction: this test goes when workerd has them', () => {
    const service = placed({ JURISDICTION: 'eu' });
    expect(() => service.job(crypto.randomUUID())).toThrow('Jurisdiction restrictions are not implemented in workerd');
    expect(() => service.dispatchers).toThrow('Jurisdiction restrictions are not implemented in workerd');
  });
});
