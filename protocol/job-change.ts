import { isUuid } from '../domain/ids.ts';

/** The id of an event of `GET /api/events`: when the index heard of the change, and of which job. Opaque to clients. */
export function parseChangeId(text: string): { readonly changedAt: number; readonly id: string } | null {
  const [, time = '', id = ''] = /^(\d{1,15})_(.{36})$/.exec(text) ?? [];
  return isUuid(id) ? { changedAt: Number(time), id } : null;
}
