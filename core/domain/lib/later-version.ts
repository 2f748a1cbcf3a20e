/**
 * Part of the message of an error about state that a later version wrote. Across RPC an error keeps only its message.
 */
export const LATER_VERSION = 'stored by a later version of the service';
