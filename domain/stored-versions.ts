/**
 * The version of what each kind of object stores. The stack refuses a data folder that a later version has written to.
 * docs/decisions/014-stored-versions.md says when a number grows.
 */
export const STORED_VERSIONS = { job: 4, inspection: 5, queue: 6 } as const;
