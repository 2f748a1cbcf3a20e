import { accepted } from '#http/accepted.ts';
import { createAuthenticator } from '#http/credentials.ts';
import { type CallerAdmission, readId } from '#http/router.ts';
import type { Leased, LeaseHolder } from '#rpc/render-job.ts';
import { keyGuesses, requireDisk } from '#service/lib/admission.ts';
import type { Operation } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { findRegistrationId } from '#storage/host/host-registrations.ts';
import { findHost, type HostCaller } from '#storage/host/hosts.ts';

/** Admits render hosts by their tokens. */
export function hostAdmission(service: Service): CallerAdmission<Operation, HostCaller> {
  const { database, limits, now } = service;
  const lookUp = (sha256: string) => findHost(database, sha256);
  const identify = createAuthenticator(['host'], lookUp, now, keyGuesses(service));
  return {
    async admit(request, { diskShare }) {
      const host = await identify(request);
      await limits.host_requests.take(host.id);
      await requireDisk(service, diskShare);
      return host;
    },
    readParam: (text, name) => (name === 'use' ? text : readId(text)),
  };
}

/** Admits machines that have the token of a registration. The caller is the registration's id. */
export function registrationAdmission(service: Service): CallerAdmission<Operation, string> {
  const { database, now } = service;
  const lookUp = (sha256: string) => findRegistrationId(database, sha256);
  const identify = createAuthenticator(['registration'], lookUp, now, keyGuesses(service));
  return { admit: (request) => identify(request), readParam: readId };
}

/** Returns what the lease allows its host. Called before storage, so that a host without the lease learns nothing. */
export async function requireLease({ job }: Pick<Service, 'job'>, jobId: string, holder: LeaseHolder): Promise<Leased> {
  return accepted(await job(jobId).leased(holder));
}
