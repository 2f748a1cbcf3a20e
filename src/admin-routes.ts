import { bindRoutes, type Route, readId } from '#http/router.ts';
import type { RouteTable } from '#protocol/routes.ts';
import { ADMIN_ROUTES, METRICS_ROUTES, OPERATE_ROUTES } from '#protocol/service-routes.ts';
import type { Service } from '#service/service.ts';
import { cancelAccount } from './admin/accounts-cancel.ts';
import { changeAccount } from './admin/accounts-change.ts';
import { createAccount } from './admin/accounts-create.ts';
import { eraseAccount } from './admin/accounts-erase.ts';
import { getAccount } from './admin/accounts-get.ts';
import { listAccounts } from './admin/accounts-list.ts';
import { admitMonitors, admitOperators, identifyOperators } from './admin/admin-auth.ts';
import { noteChanges } from './admin/audit.ts';
import { listAudit } from './admin/audit-list.ts';
import { checkClips } from './admin/clips-check.ts';
import { watchOverview } from './admin/events-watch.ts';
import { changeHost } from './admin/hosts-change.ts';
import { createHost } from './admin/hosts-create.ts';
import { listHosts } from './admin/hosts-list.ts';
import { revokeHost } from './admin/hosts-revoke.ts';
import { rotateHost } from './admin/hosts-rotate.ts';
import { cancelAnyJob } from './admin/jobs-cancel.ts';
import { listAllJobs } from './admin/jobs-list-all.ts';
import { recoverJob } from './admin/jobs-recover.ts';
import { reindexJobs } from './admin/jobs-reindex.ts';
import { getJobStory } from './admin/jobs-story.ts';
import { createKey } from './admin/keys-create.ts';
import { listKeys } from './admin/keys-list.ts';
import { revokeKey } from './admin/keys-revoke.ts';
import { rotateKey } from './admin/keys-rotate.ts';
import { getMetrics } from './admin/metrics-get.ts';
import { createOperator } from './admin/operators-create.ts';
import { listOperators } from './admin/operators-list.ts';
import { revokeOperator } from './admin/operators-revoke.ts';
import { getOverview } from './admin/overview.ts';
import { createRegistration } from './admin/registrations-create.ts';
import { listRegistrations } from './admin/registrations-list.ts';
import { revokeRegistration } from './admin/registrations-revoke.ts';
import { listTroubles } from './admin/troubles-list.ts';
import { resendTroubles } from './admin/troubles-resend.ts';
import { sessionRoutes } from './console/session-routes.ts';

/** What operators do: accounts, keys, hosts, and a look at all that goes on. */
export function adminRoutes(service: Service): Route[] {
  const identify = identifyOperators(service);
  const around = noteChanges(service);
  const room = (table: RouteTable) => ({ service, admit: admitOperators(identify, table), readParam: readId, around });
  const managing = bindRoutes(ADMIN_ROUTES, room(ADMIN_ROUTES), {
    listAccounts,
    createAccount,
    getAccount,
    changeAccount,
    cancelAccount,
    eraseAccount,
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
  });
  const operating = bindRoutes(OPERATE_ROUTES, room(OPERATE_ROUTES), {
    getOverview,
    watchOverview,
    listAllJobs,
    getJobStory,
    recoverJob,
    reindexJobs,
    checkClips,
    listTroubles,
    resendTroubles,
    listAudit,
    listOperators,
    createOperator,
    revokeOperator,
  });
  const scraping = bindRoutes(
    METRICS_ROUTES,
    { service, admit: admitMonitors(service), readParam: readId },
    { getMetrics },
  );
  return [...managing, ...operating, ...scraping, ...sessionRoutes(service, identify)];
}
