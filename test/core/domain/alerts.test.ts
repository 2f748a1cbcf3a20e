import { expect, it } from 'vitest';
import { alertsOf } from '#domain/alerts.ts';

const CALM = {
  waiting: 0,
  oldestS: null,
  hosts: 1,
  setAside: 0,
  barredBuilds: [],
  clocksOff: 0,
  refused: null,
  alertError: null,
  lost: 0,
  unservable: null,
  givenUp: 0,
  unerased: null,
  done: 0,
  failed: 0,
  upkeepError: null,
  databaseBytes: 8e9,
  isDiskFilling: false,
  backupFault: null,
};

it.each([
  ['nothing waits', {}, []],
  ['a job waits for less than a quarter of an hour', { waiting: 1, oldestS: 899 }, []],
  ['a job waits for a quarter of an hour', { waiting: 1, oldestS: 900 }, ['QueueStuck']],
  ['a job waits, and no host is there', { waiting: 1, oldestS: 0, hosts: 0 }, ['NoHosts']],
  ['no host is there, and nothing waits', { hosts: 0 }, []],
  ['a host with a job fell silent', { lost: 1 }, ['HostsLost']],
  ['jobs wait for a host that is not there', { unservable: { jobs: 2, text: '' } }, ['JobsWithoutHost']],
  ['no host is there at all', { waiting: 2, unservable: { jobs: 2, text: '' }, hosts: 0 }, ['NoHosts']],
  ['a webhook is given up', { givenUp: 1 }, ['WebhooksExhausted']],
  ['the upkeep failed', { upkeepError: 'R2 is away' }, ['UpkeepFailed']],
  ['half of the runs fail', { done: 10, failed: 10 }, []],
  ['more fail than not', { done: 9, failed: 11 }, ['RunsFail']],
  ['all of a few fail', { failed: 19 }, []],
  ['the database has more than eight tenths of its limit', { databaseBytes: 8e9 + 1 }, ['DatabaseGrows']],
  ['a host is set aside', { setAside: 1 }, ['HostsSetAside']],
  ['all hosts with a build are set aside', { barredBuilds: ['1.41'] }, ['BuildSetAside']],
  ['a clock is off', { clocksOff: 1 }, ['ClockOff']],
  ['an account is refused now and then', { refused: { accountId: 'a', count: 499 } }, []],
  ['an account is refused all the time', { refused: { accountId: 'a', count: 500 } }, ['Flood']],
  ['alerts are not sent', { alertError: 'it answered 500' }, ['AlertsUnsent']],
  ['the erasure of an account has not ended for over a day', { unerased: 'a' }, ['ErasureStuck']],
  ['the last backup failed', { backupFault: 'The last backup failed: full' }, ['BackupFailed']],
  ['the disk is almost full', { isDiskFilling: true }, ['DiskFilling']],
])('fires where %s', (_, vitals, names) => {
  expect(Object.keys(alertsOf({ ...CALM, ...vitals }))).toEqual(names);
});

it('of hosts that are set aside waits for a quarter of an hour', () => {
  const lasting = (minutes: number) =>
    Object.keys(alertsOf({ ...CALM, setAside: 1, clocksOff: 1 }, () => minutes * 6e4));
  expect([lasting(0), lasting(14.9), lasting(15)]).toEqual([['ClockOff'], ['ClockOff'], ['HostsSetAside', 'ClockOff']]);
});

it('is a sentence with its number', () => {
  const unservable = { jobs: 3, text: 'No host can do them.' };
  expect(alertsOf({ ...CALM, waiting: 3, oldestS: 1019, unservable })).toEqual({
    QueueStuck: 'A job has waited for a host for 16 minutes.',
    JobsWithoutHost: '3 jobs wait for a host that is not there. No host can do them.',
  });
});
