import { bindEndpoint, type Room, type Route } from '#http/router.ts';
import { hostRoom, registrationRoom } from '#render-gateway/rooms.ts';
import { type CallerKind, type Callers, type Operation, splitScope } from '#service/operation.ts';
import type { Service } from '#service/service.ts';
import { monitorRoom, operatorRoom, sessionRoom } from './admin/admin-auth.ts';
import { accountRoom } from './admit-caller.ts';
import * as OPERATIONS from './operations.ts';

/** Binds every operation to the service. */
export function createRoutes(service: Service): Route[] {
  const rooms: { [Kind in CallerKind]: Room<Operation, Callers[Kind]> } = {
    public: publicRoom,
    account: accountRoom(service),
    host: hostRoom(service),
    registration: registrationRoom(service),
    operator: operatorRoom(service),
    session: sessionRoom(service),
    monitor: monitorRoom(service),
  };
  return Object.entries<Operation>(OPERATIONS).map(([id, operation]) => {
    const [kind] = splitScope(operation.scope);
    return bindEndpoint(id, operation, service, rooms[kind] as unknown as Room<Operation, never>);
  });
}

/** A page itself shows what is wrong with its address. */
const publicRoom: Room<Operation, null> = { admit: () => null, readParam: (text) => text.toLowerCase() };
