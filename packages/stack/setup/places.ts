import * as z from 'zod';
import type { CloudflareAccount } from './cloudflare.ts';

/** The regions in which objects, D1 and R2 can all be placed: npm cloudflare 7.3.0, DatabaseCreateParams. */
export const LOCATIONS = ['wnam', 'enam', 'weur', 'eeur', 'apac', 'oc'];

/** Where a deployment's data is stored, by its variables. Within a jurisdiction, Cloudflare chooses the region. */
interface Place {
  readonly JURISDICTION?: string | undefined;
  readonly LOCATION_HINT?: string | undefined;
}

function hintOf({ JURISDICTION, LOCATION_HINT }: Place): string | undefined {
  return !JURISDICTION && LOCATIONS.includes(LOCATION_HINT ?? '') ? LOCATION_HINT : undefined;
}

/** Creates a database and returns its id. Calls the API, because wrangler 4.116.0 refuses `us` for D1. */
export async function createDatabase(account: CloudflareAccount, name: string, place: Place): Promise<string> {
  const body = { name, jurisdiction: place.JURISDICTION, primary_location_hint: hintOf(place) };
  return (await account.call(z.looseObject({ uuid: z.string() }), 'POST', '/d1/database', { body })).uuid;
}

export async function createBucket(account: CloudflareAccount, name: string, place: Place): Promise<void> {
  const body = { name, locationHint: hintOf(place) };
  await account.call(z.unknown(), 'POST', '/r2/buckets', { body, jurisdiction: place.JURISDICTION });
}
