import { DAY_MS } from '#domain/job/metering.ts';
import { ACCOUNT_ID } from '#protocol/examples/client.ts';
import { AT, KEY_ID } from '#protocol/examples/operator.ts';
import { PART_BYTES } from '#protocol/host/gateway.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { ArrivalList, ArrivalQuery } from '#protocol/operate/operate.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import { REFUSED_DAYS, selectArriving, selectRefusedDemos } from '#storage/demo/arrivals.ts';
import { readNames } from '#storage/operate/find.ts';
import type { RefusedDemo, UploadRow } from '#storage/schema/schema.ts';

const ARRIVING = { state: 'arriving', status: null, reason: null, times: 0 } as const;
const REFUSED = { state: 'refused', stored_bytes: null } as const;

export const listArrivals = operation({
  route: 'GET /admin/arrivals',
  scope: 'operator:read',
  query: ArrivalQuery,
  answers: { 200: ArrivalList },
  handler: async ({ database, now }, { query, reply }) => {
    const { account } = query();
    const [arriving, refused] = await Promise.all([
      selectArriving(database, account, now()),
      selectRefusedDemos(database, account, now() - REFUSED_DAYS * DAY_MS),
    ]);
    const nameOf = await readNames(
      database,
      [...arriving, ...refused].map(({ accountId }) => accountId),
    );
    const ofBoth = ({ accountId, keyId, name, bytes }: UploadRow | RefusedDemo) => ({
      account_id: accountId,
      account_name: nameOf(accountId),
      key_id: keyId,
      name,
      bytes,
    });
    const arrivals = [
      ...arriving.map((row) => ({
        ...ofBoth(row),
        ...ARRIVING,
        stored_bytes: row.multipartId === null ? null : Math.min(row.bytes, Object.keys(row.parts).length * PART_BYTES),
        at: isoTime(row.createdAt),
      })),
      ...refused.map((row) => ({ ...ofBoth(row), ...REFUSED, ...refusalOf(row) })),
    ];
    return reply(200, { arrivals });
  },
});

const refusalOf = ({ status, reason, times, refusedAt }: RefusedDemo) => ({
  status,
  reason,
  times,
  at: isoTime(refusedAt),
});

export const words = (): Words => ({
  listArrivals: {
    summary: 'List demos that arrive',
    command: 'arrivals list',
    description: 'Returns the demos whose bytes still come, then those that were refused within a week.',
    answers: {
      200: answer('Demos that arrive, then refused ones.', {
        arrivals: [
          {
            account_id: ACCOUNT_ID,
            account_name: 'Example',
            key_id: KEY_ID,
            name: '1842_de_nuke.dem',
            bytes: 2_600_000_000,
            ...REFUSED,
            status: 413,
            reason: 'A demo in one request may have at most 2148000000 bytes.',
            times: 1,
            at: AT,
          },
        ],
      }),
    },
  },
});
