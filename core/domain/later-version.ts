/**
 * In the message of an error about state that a later version of the service wrote. Errors lose everything but their
 * message on their way from an object.
 */
export const LATER_VERSION = 'stored by a later version of the service';
