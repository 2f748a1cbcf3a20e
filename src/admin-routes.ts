import { bindRoutes, type Route, readId } from '../http/router.ts';
import { ADMIN_ROUTES } from '../protocol/routes.ts';
import type { Service } from '../service/service.ts';
import { cancelAccount } from './admin/accounts-cancel.ts';
import { changeAccount } from './admin/accounts-change.ts';
import { createAccount } from './admin/accounts-create.ts';
import { listAccounts } from './admin/accounts-list.ts';
import { requireOperator } from './admin/admin-auth.ts';
import { changeHost } from './admin/hosts-change.ts';
import { createHost } from './admin/hosts-create.ts';
import { listHosts } from './admin/hosts-list.ts';
import { revokeHost } from './admin/hosts-revoke.ts';
import { rotateHost } from './admin/hosts-rotate.ts';
import { cancelAnyJob } from './admin/jobs-cancel.ts';
import { createKey } from './admin/keys-create.ts';
import { listKeys } from './admin/keys-list.ts';
import { revokeKey } from './admin/keys-revoke.ts';
import { rotateKey } from './admin/keys-rotate.ts';
import { createRegistration } from './admin/registrations-create.ts';
import { listRegistrations } from './admin/registrations-list.ts';
import { revokeRegistration } from './admin/registrations-revoke.ts';

/** What the operator of the service does: accounts, keys and hosts. */
export function adminRoutes(service: Service): Route[] {
  const admit = (request: Request) => requireOperator(service.settings, request);
  return bindRoutes(
    ADMIN_ROUTES,
    { service, admit, readParam: readId },
    {
      listAccounts,
      createAccount,
      changeAccount,
      cancelAccount,
      cancelAnyJob,
      listKeys,
      createKey,
      rotateKey,
      revokeKey,
      listHosts,
      createHost,
      changeHost,
      rotateHost,
      revokeHost,
      listRegistrations,
      createRegistration,
      revokeRegistration,
    },
  );
}
