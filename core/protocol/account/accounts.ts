import * as z from 'zod';
import { KEY_KINDS, SCOPES } from '#domain/account/account.ts';
import { ACCOUNT_RENDERERS } from '#domain/host/need.ts';
import { LIMITS, limitText, mapLimits } from '#domain/operate/limits.ts';
import { brand, created_at, Labels, Name, revoked_at } from '#protocol/lib/shapes.ts';
import * as field from '../lib/fields.ts';
import { next_cursor, yesOrNo } from '../lib/lists.ts';

/** Requests and responses of the operators' API, below `/admin`. */

const Slots = z
  .int()
  .min(0)
  .max(10_000)
  .nullable()
  .describe('Number of reserved jobs that go ahead of best-effort work at the same time. Null for no limit.');

const Kind = z
  .enum(KEY_KINDS)
  .describe(
    '`metered` for best effort, `reserved` for priority, `test` for jobs that no host gets and that cost nothing.',
  );

const account_id = field.uuid('Id of the account.');

const key_id = field.uuid('Id of the key, for revoking it.');

const AskedRenderer = z
  .enum(ACCOUNT_RENDERERS)
  .nullable()
  .describe(
    'Renderer of clips whose request names none. `cs2_only` is the game, and requests may not name the radar. Null for the default of the deployment.',
  );

const AskedLabels = Labels.describe('Labels that a host must have, all of them, to get jobs of the account.');

const limit = (of: Parameters<typeof limitText>[0]) =>
  z
    .int()
    .min(1)
    .max(10_000_000)
    .exactOptional()
    .describe(`${limitText(of)}, at most.`);

const Limits = z
  .strictObject(mapLimits(LIMITS.account, limit))
  .describe('Limits of this account alone. The limits of the deployment apply to fields that are left out.');

const brand_fields = {
  name: brand.name.nullable().describe('Name that viewers see. Empty for none. Null for the brand of the deployment.'),
  url: brand.url.nullable().describe('Address to which the name leads. Null for no link.'),
  logo: brand.logo
    .nullable()
    .describe('Path of a picture instead of icon and name, such as `/player/logo.svg`. Null for none.'),
  colour: brand.colour.nullable().describe('Accent of the pages, such as `#ffb658`. Null for the default accent.'),
};

const suspended = field
  .flag(
    'Whether to suspend the account. A suspended account may read and change nothing. Its queued jobs wait, and its running jobs finish.',
  )
  .optional();

const hide_clips = field
  .flag('Whether the pages and files of its clips answer 410 until the account is resumed. Needs `suspended: true`.')
  .optional();

const scope = z
  .enum(SCOPES)
  .describe(
    '`ingest` sends demos and reads nothing, for a game server; `read` reads; `submit` reads, sends demos and submits jobs; `manage` does everything, such as deleting clips.',
  );

const IngestLimits = z
  .strictObject(mapLimits(LIMITS.ingest, limit))
  .describe(
    'Limits a day (UTC) of a key of scope `ingest`. The limits of the deployment apply to fields that are left out.',
  );

const key_name = field.textOrNull('The name that people see in lists. Null for none.');

const key_expires_at = field.timeOrNull('Time when the key expires. Null for never.');

export const NewAccount = z
  .strictObject({
    name: Name,
    provisioned_slots: Slots.default(null),
    renderer: AskedRenderer.default(null),
    labels: AskedLabels.default([]),
  })
  .meta({ id: 'NewAccount', description: 'An account to make.' });

export const AccountChanges = z
  .strictObject({
    name: Name.optional(),
    provisioned_slots: Slots.optional(),
    renderer: AskedRenderer.optional(),
    labels: AskedLabels.optional(),
    suspended,
    hide_clips,
    limits: Limits.optional(),
    brand: z
      .strictObject(brand_fields)
      .partial()
      .refine(({ name = null, ...others }) => name !== null || Object.values(others).every((one) => one === null), {
        path: ['name'],
        error: 'is required with the other fields of a brand',
      })
      .optional()
      .describe(
        'Brand on the clips of this account. A change replaces all four fields. With null as the name, the brand of the deployment applies.',
      ),
  })
  .refine(({ suspended, hide_clips }) => hide_clips === undefined || suspended === true, {
    path: ['hide_clips'],
    error: 'is an option of a suspension: set `suspended` to true with it',
  })
  .meta({
    id: 'AccountChanges',
    description: 'Fields of the account to change. Fields that are left out keep their values.',
  });

export type AccountChanges = z.output<typeof AccountChanges>;

export const AccountErasure = z
  .strictObject({
    name: field.text(
      'The present name of the account. It must match, so that nobody erases another account by mistake.',
    ),
  })
  .meta({ id: 'AccountErasure', description: 'A confirmation that this account is the one to erase.' });

export const NewKey = z
  .strictObject({
    kind: Kind,
    name: Name.optional(),
    scope: scope.default('manage'),
    expires_at: field.sentTime
      .optional()
      .describe(
        'Time when the key expires. Without it, a key of the operator never expires, and a key that a key makes expires with that key.',
      ),
    ingest_limits: IngestLimits.optional(),
  })
  .refine(({ scope, ingest_limits }) => ingest_limits === undefined || scope === 'ingest', {
    path: ['ingest_limits'],
    error: 'is for a key of scope `ingest`',
  })
  .meta({ id: 'NewKey', description: 'An API key to make.' });

export const AccountView = z
  .object({
    account_id,
    name: field.text('The name of the account.'),
    provisioned_slots: Slots,
    renderer: AskedRenderer,
    labels: AskedLabels,
    suspended_at: field.timeOrNull('Time when the account was suspended. Null while it is not.'),
    clips_hidden: field.flag('Whether its clips are hidden while it is suspended.'),
    brand: z.object(brand_fields).describe('Brand on the clips of this account.'),
    erasing_at: field.timeOrNull('Time when the erasure began. Null for other accounts.'),
    limits: Limits,
    default_limits: Limits.describe('The limits of the deployment. They apply where `limits` has no value.'),
    created_at,
    drawn_share: field.numberOrNull(
      'Part of its clip seconds that the radar made, from 0 to 1, in the 30 days before its latest clip. Null without clips.',
    ),
  })
  .meta({ id: 'Account', description: 'An account: the owner of keys, jobs and clips.' });

export const AccountList = z
  .object({ accounts: z.array(AccountView), next_cursor })
  .meta({ id: 'AccountList', description: 'A page of accounts, the oldest first.' });

/** The last job of the page before. */
export const CancelQuery = z.strictObject({
  cursor: z
    .uuid('must be the next_cursor of an earlier answer')
    .optional()
    .describe('The `next_cursor` of the previous answer.'),
});

export const Canceled = z
  .object({
    canceled: field.integer('Number of jobs that this call canceled.'),
    failed: z.array(z.uuid()).describe('Ids of jobs that did not answer. Try them again.'),
    next_cursor,
  })
  .meta({ id: 'Canceled', description: 'The result of a cancellation.' });

export const KeyOnce = z
  .object({
    key_id,
    kind: Kind,
    name: key_name,
    scope,
    key: field.text('The key itself. It is shown only once.'),
    expires_at: key_expires_at,
    ingest_limits: IngestLimits.nullable(),
    created_at,
  })
  .meta({ id: 'KeyOnce', description: 'A new API key.' });

export const ApiKey = z
  .object({
    key_id,
    kind: Kind,
    name: key_name,
    scope,
    hint: field.text('The first and last characters of the key.'),
    expires_at: key_expires_at,
    ingest_limits: IngestLimits.nullable(),
    last_used: field.timeOrNull('Time of the last use, to the hour. Null before the first use.'),
    made_by: field.uuidOrNull('Id of the key that made this key. Null if the operator made it.'),
    created_at,
    revoked_at,
  })
  .meta({ id: 'ApiKey', description: 'An API key without its secret.' });

export const KeyList = z
  .object({ keys: z.array(ApiKey), next_cursor })
  .meta({ id: 'KeyList', description: 'A page of the keys of an account, the oldest first, the revoked ones too.' });

export const RevokeQuery = z.strictObject({
  keep_made: yesOrNo
    .optional()
    .describe(
      '`true` revokes this key alone. Without it, the keys that it has made are revoked too, and those that these have made.',
    ),
});
