import type { JSX } from 'preact';
import type { JobStory, OperatorOperations, Overview } from '#client/operator-shapes.ts';
import { JOB_STATUSES } from '#domain/job/job.ts';
import { span } from '#domain/lib/text.ts';
import { AskButton } from '../parts/ask.tsx';
import { Button, Copy, Field, Table } from '../parts/components.tsx';
import { A_TIME, ago, amount, bytes, percent } from '../parts/format.ts';
import { resendButton } from './deliveries.tsx';
import { Fields, type OperationProps, perform } from './forms.tsx';
import { retryButton } from './retry.tsx';
import {
  type ConsoleView,
  call,
  Facts,
  Filter,
  type HashRoute,
  List,
  NameLink,
  Pill,
  Time,
  type ViewTools,
} from './view.tsx';

/** Returns the button that takes a clip down, and asks for the reason. */
function takeDownButton(tools: ViewTools, id: string, title: string): JSX.Element {
  const removal: OperationProps = { operation: 'removeClip', tools, params: { id }, done: 'The clip is taken down.' };
  return (
    <AskButton
      text="Take down"
      label={`Take down ${title}`}
      isDanger
      title={`Take down “${title}”?`}
      what="Its page and files are gone at once and for good. Its owner reads the reason."
      onAct={(typed) => perform(removal, typed)}
    >
      <Fields {...removal} />
    </AskButton>
  );
}

/** Why jobs wait, by what they require of a host. */
export const WaitsTable = ({ waits }: Pick<Overview, 'waits'>): JSX.Element => (
  <>
    <h2>Why jobs wait</h2>
    <Table
      label="reasons for waiting"
      rows={waits}
      columns={{
        Jobs: ({ jobs }) => amount(jobs),
        'First for': ({ oldest_s }) => span(oldest_s),
        State: ({ reason }) => <Pill state={wordsOf(reason)} />,
        Why: ({ text }) => text,
      }}
    />
  </>
);

const WaitLine = ({ queue }: Pick<JobStory, 'queue'>): JSX.Element | null => {
  if (queue === null) return null;
  const { position, estimate_s, reason, text } = queue;
  const estimate = estimate_s === null ? '' : `, about ${span(estimate_s)}`;
  return (
    <p>
      <Pill state={wordsOf(reason)} /> {text}
      {position !== null && ` Position ${amount(position)}${estimate}.`}
    </p>
  );
};

const wordsOf = (reason: string) => reason.replaceAll('_', ' ');

type JobFilter = OperatorOperations['listAllJobs']['query'];

/** Jobs of all accounts, filtered by the query of the hash. */
export const jobsView: ConsoleView = async (tools, route) => {
  const { query } = route;
  const list = (asked: HashRoute['query']) => call('listAllJobs', { query: asked as JobFilter });
  const { jobs, next_cursor } = await list(query);
  return (
    <List
      title="Jobs"
      {...{ route, label: 'jobs', rows: jobs, cursor: next_cursor }}
      idOf={({ id }) => id}
      intro={[
        <Filter key="filter" {...{ route, tools }} load={list}>
          <Field
            {...{ label: 'Account', name: 'account', value: query.account, size: 20 }}
            hint={query.account && jobs[0]?.account_name}
          />
          <Field label="State" name="status" options={['', ...JOB_STATUSES]} value={query.status} />
          <Field label="Tier" name="tier" options={['', 'reserved', 'metered']} value={query.tier} />
          <Field label="Code" name="error_code" value={query.error_code} size={16} />
          <Field label="From" name="created_from" value={query.created_from} placeholder={A_TIME} />
          <Field label="Before" name="created_to" value={query.created_to} placeholder={A_TIME} />
        </Filter>,
        retryButton(tools, route),
      ]}
      columns={{
        Job: ({ id }) => <NameLink to="jobs" id={id} />,
        State: ({ status }) => <Pill state={status} />,
        Tier: ({ priority }) => (priority ? 'reserved' : 'metered'),
        Clip: ({ title }) => title ?? '–',
        Account: ({ account_id, account_name }) => <NameLink to="accounts" id={account_id} name={account_name} />,
        Submitted: ({ created_at }) => <Time at={created_at} />,
        'Code, or why it waits': ({ error_code, waits }) => [error_code, waits].filter(Boolean).join(': ') || '–',
        Webhook: ({ webhook }) => (webhook ? <Pill state={webhook} /> : '–'),
      }}
    />
  );
};

/** One job: its attempts with their hosts, its webhooks, its clip and its request. */
export const jobView: ConsoleView = async (tools, { path: [, id = ''], query: { host } }) => {
  const story = await call('getJobStory', { params: { id }, query: host === undefined ? {} : { host } });
  const { job, lease, clip, attempts, deliveries } = story;
  const retry = () =>
    tools.run('It runs again.', async () => {
      const { refused } = await call('resubmitJobs', { body: { job_ids: [id] } });
      if (refused[0]) throw new Error(`It does not run again: ${refused[0].reason}.`);
    });
  const cancel = () => tools.send('The job has ended.', () => call('cancelAnyJob', { params: { id } }));
  return (
    <>
      <h1>
        Job <code>{job.id}</code> <Copy text={job.id} />
      </h1>
      <p>
        <Pill state={job.status} /> {percent(story.progress)} {job.error_code}
      </p>
      <WaitLine queue={story.queue} />
      {story.error_detail && <p>{story.error_detail}</p>}
      <p>
        {tools.can('operate') && job.status === 'error' && <Button text="Retry" onClick={retry} />}
        {tools.can('operate') && job.finished_at === null && (
          <AskButton
            text="Cancel the job"
            isDanger
            title="Cancel this job?"
            what="It ends without a clip, and its account is notified of that."
            onAct={cancel}
          />
        )}
      </p>
      <Facts
        facts={{
          Account: <NameLink to="accounts" id={story.account_id} name={story.account_name} />,
          Tier: job.priority ? 'reserved' : 'metered',
          Submitted: `${job.created_at.slice(0, 19).replace('T', ' ')} UTC, ${ago(job.created_at)}`,
          'Run, attempt': `${story.run}, ${story.attempt}`,
          'Spent on failed attempts': span(story.host_seconds),
          'Tried again': story.retry_at && <Time at={story.retry_at} />,
          Host: lease && (
            <>
              <NameLink to="hosts" id={lease.host_id} name={lease.host_name} />, since <Time at={lease.granted_at} />,
              until <Time at={lease.deadline} />
            </>
          ),
        }}
      />
      <h2>Attempts that failed</h2>
      {host && (
        <p>
          Only those on one host. <a href={`#/jobs/${id}`}>Show all</a>
        </p>
      )}
      <Table
        label="failed attempts"
        rows={attempts}
        columns={{
          'Run, attempt': ({ run, attempt }) => `${run}, ${attempt}`,
          Host: ({ host_id, host_name, game_build }) => [
            <NameLink key="id" to="hosts" id={host_id} name={host_name} />,
            game_build && ` ${game_build}`,
          ],
          Ended: ({ ended_at }) => <Time at={ended_at} />,
          Took: ({ granted_at, ended_at }) => span((Date.parse(ended_at) - Date.parse(granted_at)) / 1000),
          Code: ({ code }) => code ?? 'given back',
          Detail: ({ detail, log }) => [detail, log && logOf(log)],
        }}
      />
      <h2>Webhooks</h2>
      <Table
        label="webhooks"
        rows={deliveries}
        columns={{
          State: ({ status }) => <Pill state={status} />,
          Address: ({ url }) => <span class="address">{url}</span>,
          Created: ({ created_at }) => <Time at={created_at} />,
          Attempts: (delivery) => delivery.attempts.length,
          'Last answer': (delivery) => delivery.attempts.at(-1)?.error ?? delivery.attempts.at(-1)?.http_status ?? '–',
          Next: ({ next_attempt_at, wait_reason }) =>
            next_attempt_at ? [<Time key="at" at={next_attempt_at} />, wait_reason && ` ${wait_reason}`] : '–',
        }}
      />
      {deliveries.length > 0 && <p>{resendButton(tools, 'Send the last one again', job.id)}</p>}
      <h2>Clip</h2>
      {clip === null ? <p class="hint">None yet.</p> : clipFacts(clip, story.clip_id)}
      {clip && !clip.removal && tools.can('operate') && <p>{takeDownButton(tools, story.clip_id, clip.title)}</p>}
      <h2>Request</h2>
      {textBox('Request', JSON.stringify(job.payload, null, 2))}
    </>
  );
};

const clipFacts = (clip: NonNullable<JobStory['clip']>, id: string | null) => (
  <Facts
    facts={{
      Title: <a href={`/clips/${id}`}>{clip.title}</a>,
      State: clip.is_saved ? `${clip.state}, saved` : clip.state,
      'Taken down': clip.removal && (
        <>
          <Time at={clip.removal.at} />: {clip.removal.reason}
        </>
      ),
      Rendered: (
        <>
          <Time at={clip.rendered_at} /> by {clip.host_name ?? 'a host that is not known'}
        </>
      ),
      Files: `${bytes(clip.video.bytes)} of video, ${bytes(clip.thumbnail.bytes)} of thumbnail`,
      Key: <code>{clip.video.key || 'none any more'}</code>,
    }}
  />
);

const logOf = (log: string) => (
  <details key="log">
    <summary>The host's log</summary>
    {textBox('Log', log)}
  </details>
);

const textBox = (label: string, text: string) => (
  // biome-ignore lint/a11y: the keyboard has to reach what scrolls, and axe wants a name for that
  <pre tabIndex={0} aria-label={label}>
    {text}
  </pre>
);
