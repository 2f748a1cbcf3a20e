/** The database of all accounts, keys and hosts, and of the jobs of each account that names no other. */
export const PRIMARY = 'DB';

/** The others are numbered from 2 on, and the number fits into two hexadecimal digits. */
const OTHER = /^DB_([2-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/;

/** Whether a binding of this name is a database for jobs. */
export function isDatabaseName(name: string): boolean {
  return name === PRIMARY || OTHER.test(name);
}

/** The id of a job in its account's database: in another than the first, its last two digits are that one's number. */
export function jobIdIn(database: string, id: string): string {
  const [, number] = OTHER.exec(database) ?? [];
  return number === undefined ? id : id.slice(0, -2) + Number(number).toString(16).padStart(2, '0');
}

/**
 * Where the job with an id may be indexed, the likeliest first. Ids of the first database end in any two digits, so
 * one in 256 of them reads like that of another.
 */
export function databasesOf(jobId: string, bound: readonly string[]): readonly string[] {
  const named = `DB_${Number.parseInt(jobId.slice(-2), 16)}`;
  return bound.includes(named) ? [named, PRIMARY] : [PRIMARY];
}
