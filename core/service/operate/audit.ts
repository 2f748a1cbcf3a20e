import { reasonOf } from '#domain/lib/text.ts';
import type { Operator } from '#domain/operate/operator.ts';
import { ProblemError } from '#http/problem.ts';
import { textRead } from '#http/read-body.ts';
import type { Reply } from '#http/reply.ts';
import type { Around } from '#http/router.ts';
import type { Service } from '#service/lib/service.ts';
import { type AuditRow, insertAudit } from '#storage/operate/operators.ts';

/** Characters of a body that the audit log keeps. */
const CHANGES_KEPT = 2000;

/** Operations whose bodies have secrets. The service makes all others, and only answers have them. */
const SECRET_BODIES: ReadonlySet<string> = new Set(['setHostHeaders']);

/** Reads that are recorded like changes, at their first page: they have all of an account. */
const RECORDED_READS: ReadonlySet<string> = new Set(['exportAccount']);

type AuditService = Pick<Service, 'database' | 'log' | 'now'>;

/** Writes an entry of the audit log, and a line of the log. */
export async function recordChange(
  { database, log, now }: AuditService,
  change: Omit<AuditRow, 'id' | 'createdAt'>,
): Promise<void> {
  const { requestId, action, operator, target, status } = change;
  // After a database is restored, only the log has the later changes.
  log('an operator or a key changed something', { requestId, action, operator, target, status }, 'info');
  const changes = change.changes?.slice(0, CHANGES_KEPT) ?? null;
  const row = { id: crypto.randomUUID(), createdAt: now(), ...change, changes };
  await insertAudit(database, row).catch((error: unknown) =>
    log('failed to record a change', { requestId, action, operator, error: reasonOf(error) }),
  );
}

const targets = new WeakMap<Request, Readonly<Record<string, string>>>();

/** Adds ids to the audit log's entry of a request. */
export function noteTarget(request: Request, ids: Readonly<Record<string, string>>): void {
  targets.set(request, ids);
}

/** Records changes by operators in the audit log, failed ones too, but not refused ones. */
export function noteChanges(service: AuditService): Around<Operator> {
  return async (action, { caller, params, request, requestId }, answer) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && (!RECORDED_READS.has(action) || new URL(request.url).searchParams.has('cursor'))) return answer();
    const note = async (status: number | null, made: Readonly<Record<string, string>>): Promise<void> => {
      const text = textRead(request);
      if (text && isDryRun(text)) return;
      await recordChange(service, {
        operatorId: caller.id,
        operator: caller.name,
        action,
        target: { ...params, ...made, ...targets.get(request) },
        changes: SECRET_BODIES.has(action) ? null : text,
        status,
        requestId,
      });
    };
    try {
      const answered = await answer();
      await note(answered.status, idsIn(answered));
      return answered;
    } catch (error) {
      if (!(error instanceof ProblemError)) await note(null, {});
      throw error;
    }
  };
}

/** Whether a body asks only what would happen. */
function isDryRun(text: string): boolean {
  return (JSON.parse(text) as { dry_run?: unknown }).dry_run === true;
}

/** Returns the ids of what an answer has created, or the counts of a batch. */
function idsIn(answered: Reply<unknown> | Response): Record<string, string> {
  if (answered instanceof Response || (answered.status !== 201 && answered.status !== 200)) return {};
  const body = Object(answered.body);
  const isBatch = 'next_cursor' in body;
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      if (isBatch && Array.isArray(value)) return [[name, String(value.length)]];
      const isMeant = isBatch ? typeof value === 'number' : answered.status === 201 && name.endsWith('_id');
      return isMeant ? [[name, String(value)]] : [];
    }),
  );
}
