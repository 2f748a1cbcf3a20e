import { API_ROUTES, type Method, methodOf, PUBLIC_ROUTES, pathOf, type RouteTable } from '#protocol/routes.ts';
import {
  ADMIN_ROUTES,
  CONSOLE_ROUTES,
  GATEWAY_ROUTES,
  METRICS_ROUTES,
  OPERATE_ROUTES,
  REGISTRATION_ROUTES,
} from '#protocol/service-routes.ts';
import type { OperationDoc } from './operation.ts';
import { ACCOUNT_OPERATIONS } from './operations/account.ts';
import { ADMIN_OPERATIONS } from './operations/admin.ts';
import { CLIP_OPERATIONS } from './operations/clips.ts';
import { DEMO_OPERATIONS } from './operations/demos.ts';
import { GATEWAY_OPERATIONS, REGISTRATION_OPERATIONS } from './operations/gateway.ts';
import { JOB_OPERATIONS } from './operations/jobs.ts';
import { CONSOLE_OPERATIONS, METRICS_OPERATIONS, OPERATE_OPERATIONS } from './operations/operate.ts';
import { PUBLIC_OPERATIONS } from './operations/public.ts';

const API_OPERATIONS: Record<keyof typeof API_ROUTES, OperationDoc> = {
  ...CLIP_OPERATIONS,
  ...JOB_OPERATIONS,
  ...DEMO_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
};

export interface DescribedOperation {
  readonly id: string;
  readonly method: Method;
  /** In the router's pattern language: `/api/jobs/:id`. */
  readonly path: string;
  /** Name of the security scheme; null for what is open to everybody. */
  readonly key: string | null;
  readonly doc: OperationDoc;
}

interface Room {
  readonly routes: RouteTable;
  readonly operations: Readonly<Record<string, OperationDoc>>;
  readonly key: string | null;
}

/** Every address of the service with what is said of it. */
const ROOMS: readonly Room[] = [
  { routes: API_ROUTES, operations: API_OPERATIONS, key: 'apiKey' },
  { routes: PUBLIC_ROUTES, operations: PUBLIC_OPERATIONS, key: null },
  { routes: GATEWAY_ROUTES, operations: GATEWAY_OPERATIONS, key: 'hostToken' },
  { routes: REGISTRATION_ROUTES, operations: REGISTRATION_OPERATIONS, key: 'registrationToken' },
  { routes: ADMIN_ROUTES, operations: ADMIN_OPERATIONS, key: 'operatorToken' },
  { routes: OPERATE_ROUTES, operations: OPERATE_OPERATIONS, key: 'operatorToken' },
  { routes: CONSOLE_ROUTES, operations: CONSOLE_OPERATIONS, key: 'consoleSession' },
  { routes: METRICS_ROUTES, operations: METRICS_OPERATIONS, key: 'metricsToken' },
];

/** Every operation under its id with its address, the key it asks for, and what is said of it. */
export function allOperations(): DescribedOperation[] {
  return ROOMS.flatMap(({ routes, operations, key }) =>
    Object.entries(routes).map(([id, line]) => {
      const doc = operations[id];
      if (!doc) throw new Error(`${id} is not described`);
      return { id, method: methodOf(line), path: pathOf(line), key, doc };
    }),
  );
}
