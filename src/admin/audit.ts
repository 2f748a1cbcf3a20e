import type { Operator } from '#domain/operator.ts';
import { reasonOf } from '#domain/reason.ts';
import { ProblemError } from '#http/problem.ts';
import { textRead } from '#http/read-body.ts';
import type { Around } from '#http/router.ts';
import type { Service } from '#service/service.ts';
import { insertAudit } from '#storage/operators.ts';

/** Characters of a body that are kept. */
const CHANGES_KEPT = 2000;

/**
 * Notes what an operator changes: also what failed half-way, and not what was refused. Bodies have no secret: those are
 * made here, and are in answers alone.
 */
export function noteChanges({ database, log, now }: Pick<Service, 'database' | 'log' | 'now'>): Around<Operator> {
  return async (action, { caller, params, request, requestId }, answer) => {
    if (request.method === 'GET' || request.method === 'HEAD') return answer();
    const note = async (status: number | null, made: Readonly<Record<string, string>>): Promise<void> => {
      const row = {
        id: crypto.randomUUID(),
        createdAt: now(),
        operatorId: caller.id,
        operator: caller.name,
        action,
        target: { ...params, ...made },
        changes: textRead(request)?.slice(0, CHANGES_KEPT) ?? null,
        status,
        requestId,
      };
      // Of a database that is taken back to before, the log is all that tells.
      log(
        'an operator changed something',
        { requestId, action, operator: caller.name, target: row.target, status },
        'info',
      );
      await insertAudit(database, row).catch((error: unknown) =>
        log('a change was not noted', { requestId, action, operator: caller.name, error: reasonOf(error) }),
      );
    };
    try {
      const response = await answer();
      await note(response.status, await idsIn(response));
      return response;
    } catch (error) {
      if (!(error instanceof ProblemError)) await note(null, {});
      throw error;
    }
  };
}

/** The ids in an answer, of what was made. */
async function idsIn(response: Response): Promise<Record<string, string>> {
  if (response.status !== 201) return {};
  const body = await response.clone().json<Record<string, unknown>>();
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => entry[0].endsWith('_id')),
  );
}
