/** The database of all accounts, keys and hosts, and of the jobs of every account without another database. */
export const PRIMARY = 'DB';

/** Further databases have numbers from 2 to 255: two hexadecimal digits. */
const OTHER = /^DB_([2-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/;

/** Whether a binding of this name is a database for jobs. */
export function isDatabaseName(name: string): boolean {
  return name === PRIMARY || OTHER.test(name);
}

/**
 * Returns the id of a job in its account's database. The last two digits are the database's number, except in the
 * primary one.
 */
export function jobIdIn(database: string, id: string): string {
  const [, number] = OTHER.exec(database) ?? [];
  return number === undefined ? id : id.slice(0, -2) + Number(number).toString(16).padStart(2, '0');
}

/**
 * Returns the databases that may index a job, the likeliest first. Ids in the primary database end in any two digits,
 * so one in 256 of them looks like an id of another.
 */
export function databasesOf(jobId: string, bound: readonly string[]): readonly string[] {
  const named = `DB_${Number.parseInt(jobId.slice(-2), 16)}`;
  return bound.includes(named) ? [named, PRIMARY] : [PRIMARY];
}
