import { isUuid } from '#domain/lib/ids.ts';

/** A position in the order of changes of an account's jobs: a time, and the job that changed then. */
export interface ChangePlace {
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  readonly id: string;
}

/** Formats a position as the id of an event of `GET /api/events`. Clients must not parse it. */
export function changeIdOf({ changedAt, id }: ChangePlace): string {
  return `${changedAt}_${id}`;
}

export function parseChangeId(text: string): ChangePlace | null {
  const [, time = '', id = ''] = /^(\d{1,15})_(.{36})$/.exec(text) ?? [];
  return isUuid(id) ? { changedAt: Number(time), id } : null;
}
