import { together } from '#protocol/variable-shapes.ts';
import type { Settings, VariableValues } from './settings.ts';

/** Returns where views are counted, if not in the database. */
export function viewsOf({ VIEWS_ACCOUNT_ID, VIEWS_TOKEN, VIEWS_DATASET }: VariableValues): Settings['views'] {
  const set = together({ VIEWS_ACCOUNT_ID, VIEWS_TOKEN });
  const api = 'https://api.cloudflare.com/client/v4';
  return set && { accountId: set.VIEWS_ACCOUNT_ID, token: set.VIEWS_TOKEN, dataset: VIEWS_DATASET, api };
}

/** Returns where clients upload demos directly, if not through the Worker. */
export function s3Of({ S3_URL, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION }: VariableValues): Settings['s3'] {
  const set = together({ S3_URL, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY });
  if (set === null) return null;
  const { S3_URL: url, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = set;
  return { url, accessKeyId, secretAccessKey, region: S3_REGION };
}
