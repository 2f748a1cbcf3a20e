import type { HostDetail } from '#client/operator-shapes.ts';
import { span } from '#domain/time-span.ts';
import { clockText } from '#protocol/signed-message.ts';
import { Table } from '../components.tsx';
import { bytes } from './format.ts';
import { Actions, endOf, jobOf } from './hosts.tsx';
import { call } from './operator.ts';
import { type ConsoleView, Facts, NameLink, Pill, Time } from './view.tsx';

/** What a state means for the operator; null where there is nothing to do. docs/operate.md has the same advice. */
const HINTS: Readonly<Record<HostDetail['state'], string | null>> = {
  idle: null,
  busy: null,
  paused: 'It finishes the jobs that it has, and gets no more until it is resumed.',
  draining: 'It finishes the jobs that it has, and gets no more until it is resumed.',
  'set aside': 'It gets no jobs. Repair it, then resume it. Without that, faults are forgiven after a while.',
  resting: 'It did not take the last job that it was sent. Mend what its answer names. It is tried again by itself.',
  lost: 'It had a job and fell silent, and the job went on elsewhere. See whether the machine, its network and its program run. Resume it to end the alert, or revoke it.',
  gone: 'It asks for no work. Start it, or revoke it if it will not come back.',
};

/** One host: what it is and does, its latest attempts, and its faults of a day. */
export const hostView: ConsoleView = async (tools, { path: [, id = ''] }) => {
  const host = await call('getHost', { params: { id } });
  const { state, push, resting_reason, set_aside_reason } = host;
  const isRevoked = host.revoked_at !== null;
  const hint = isRevoked ? 'Its token is revoked.' : HINTS[state];
  return (
    <>
      <h1>{host.name}</h1>
      <p>
        <Pill state={isRevoked ? 'revoked' : state} />{' '}
        {[endOf(host), resting_reason, set_aside_reason, host.note].filter(Boolean).join('; ')}
      </p>
      {hint && <p class="hint">{hint}</p>}
      <Facts
        facts={{
          'Works on': host.jobs.length === 0 ? null : host.jobs.map(jobOf),
          'Last seen': <Time at={host.last_seen} />,
          Renderer: host.renderer,
          'Build of the game': host.game_build,
          GPU: host.gpu,
          Driver: host.driver,
          Encoder: host.encoder,
          Version: host.agent_version,
          Renders: host.max_resolution && `up to ${host.max_resolution}p at ${host.max_fps} frames a second`,
          'Jobs at a time': host.slots,
          'Free disk': host.free_bytes === null ? null : bytes(host.free_bytes),
          Clock: host.clock_off_s === null ? null : `${clockText(host.clock_off_s)} ours`,
          Labels: host.labels.join(' ') || null,
          'Sent to': push && <span class="address">{push.url}</span>,
          Id: <code>{host.host_id}</code>,
        }}
      />
      {tools.can('operate') && !isRevoked && <Actions host={host} tools={tools} hasToken />}
      <h2>Failed in 24 hours</h2>
      <Table
        label="failures"
        rows={host.faults}
        columns={{
          Code: ({ code }) => code,
          Count: ({ count }) => count,
          Last: ({ last_at }) => <Time at={last_at} />,
          'Latest jobs': ({ job_ids }) => job_ids.map((job) => [logLink(job, id), ' ']),
        }}
      />
      <h2>Latest attempts</h2>
      <p class="hint">
        The last 20, as far as the dispatcher has them: it keeps 2,000 of all hosts, and a restart may lose the last
        minute.
      </p>
      <Table
        label="attempts"
        rows={host.ended}
        columns={{
          Job: ({ job_id, code }) => (code === null ? <NameLink to="jobs" id={job_id} /> : logLink(job_id, id)),
          Outcome: ({ code }) => <Pill state={code === null ? 'done' : 'error'} />,
          Code: ({ code }) => code ?? '–',
          Ended: ({ ended_at }) => <Time at={ended_at} />,
          Took: ({ started_at, ended_at }) =>
            started_at === null ? '–' : span((Date.parse(ended_at) - Date.parse(started_at)) / 1000),
        }}
      />
    </>
  );
};

/** A link to the attempts of a job on one host, with its logs. */
const logLink = (job: string, host: string) => <NameLink key={job} to="jobs" id={job} query={{ host }} />;
