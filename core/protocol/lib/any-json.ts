import * as z from 'zod';

/** Whatever a client sends for itself and gets back. */
export const AnyJson = z
  .unknown()
  .meta({ id: 'AnyJson', description: 'Any JSON value. The service returns it unchanged.' });
