/**
 * The version of the stored data of each kind of object. The stack refuses a data folder that a later version wrote.
 * docs/decisions/014-stored-versions.md says when to increase a number.
 */
export const STORED_VERSIONS = { job: 1, queue: 1 } as const;

/**
 * Part of the message of an error about state that a later version wrote. Across RPC an error keeps only its message.
 */
export const LATER_VERSION = 'stored by a later version of the service';
