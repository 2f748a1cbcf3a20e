/**
 * The version of the stored data of each kind of object. The stack refuses a data folder that a later version wrote.
 * docs/decisions/014-stored-versions.md says when to increase a number.
 */
export const STORED_VERSIONS = { job: 1, queue: 1 } as const;
