import * as z from 'zod';
import { TIERS } from '../domain/clip.ts';

/** What the operator of the service says and hears, below `/admin`. */

const Name = z.string().trim().min(1).max(100).meta({ description: 'For people to tell them apart.' });
const Slots = z
  .int()
  .min(0)
  .max(10_000)
  .nullable()
  .meta({ description: 'How many reserved jobs go ahead of best-effort work at a time; null for all.' });
const Kind = z.enum(TIERS).meta({ description: '`metered` for best effort, `reserved` for priority.' });
const created_at = z.iso.datetime().meta({ description: 'When it was made.' });
const revoked_at = z.iso.datetime().nullable().meta({ description: 'When it was revoked; null while it is good.' });
const account_id = z.uuid().meta({ description: 'The account.' });
const key_id = z.uuid().meta({ description: 'The key, for revoking it.' });
const host_id = z.uuid().meta({ description: 'The host, for revoking its token.' });

export const NewAccount = z
  .strictObject({ name: Name, provisioned_slots: Slots.default(null) })
  .meta({ id: 'NewAccount', description: 'An account to make.' });
export const AccountChanges = z
  .strictObject({ name: Name.optional(), provisioned_slots: Slots.optional() })
  .meta({ id: 'AccountChanges', description: 'What to change; the rest stays.' });
export const NewKey = z.strictObject({ kind: Kind }).meta({ id: 'NewKey', description: 'An API key to make.' });
export const NewHost = z.strictObject({ name: Name }).meta({ id: 'NewHost', description: 'A render host to let in.' });

export const AccountView = z
  .object({
    account_id,
    name: z.string().meta({ description: 'Its name.' }),
    provisioned_slots: Slots,
    database: z
      .string()
      .meta({ description: 'Where its jobs, clips and assets are indexed: a binding of the Worker.' }),
    created_at,
  })
  .meta({ id: 'Account', description: 'Who has keys, jobs and clips.' });
export const AccountList = z
  .object({ accounts: z.array(AccountView) })
  .meta({ id: 'AccountList', description: 'All accounts.' });

export const KeyOnce = z
  .object({ key_id, kind: Kind, key: z.string().meta({ description: 'The key itself, shown this once.' }), created_at })
  .meta({ id: 'KeyOnce', description: 'A new API key.' });
export const KeyList = z
  .object({
    keys: z.array(
      z
        .object({
          key_id,
          kind: Kind,
          hint: z.string().meta({ description: 'Its beginning and end.' }),
          created_at,
          revoked_at,
        })
        .meta({ id: 'ApiKey', description: 'An API key without its secret.' }),
    ),
  })
  .meta({ id: 'KeyList', description: 'The keys of an account, the revoked ones too.' });

export const HostOnce = z
  .object({
    host_id,
    name: z.string().meta({ description: 'Its name.' }),
    token: z.string().meta({ description: 'The token itself, shown this once.' }),
  })
  .meta({ id: 'HostOnce', description: 'A new render host.' });
export const HostList = z
  .object({
    hosts: z.array(
      z
        .object({ host_id, name: z.string().meta({ description: 'Its name.' }), created_at, revoked_at })
        .meta({ id: 'Host', description: 'A render host without its token.' }),
    ),
  })
  .meta({ id: 'HostList', description: 'All render hosts, the revoked ones too.' });
