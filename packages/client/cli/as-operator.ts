import type { Command } from 'commander';
import { createTickreelOperator, type TickreelOperator } from '../operator.ts';
import { MAX_RETRIES } from './bind.ts';
import { settingsOf } from './settings.ts';

/** Creates a client of the service's operator. */
export function asOperator(command: Command): TickreelOperator {
  const { url, admin_token } = settingsOf(command, 'url', 'admin_token');
  return createTickreelOperator({ baseUrl: url, adminToken: admin_token, maxRetries: MAX_RETRIES });
}
