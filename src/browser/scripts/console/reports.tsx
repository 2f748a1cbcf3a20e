import type { JSX } from 'preact';
import type { ClipReport, OperatorOperations } from '#client/operator-shapes.ts';
import { REPORT_REASONS } from '#domain/clip-report.ts';
import { AskButton } from '../ask.tsx';
import { Button, Field } from '../components.tsx';
import { short } from './format.ts';
import { call } from './operator.ts';
import { type ConsoleView, List, NameLink, Pill, Time, type ViewTools } from './view.tsx';

/** What viewers reported about clips: open reports, unless the hash says otherwise. */
export const reportsView: ConsoleView = async (tools, route) => {
  const query = { state: 'open', ...route.query } as OperatorOperations['listReports']['query'];
  const { reports, next_cursor } = await call('listReports', { query });
  return (
    <List
      title="Reports"
      {...{ route, label: 'reports', rows: reports, cursor: next_cursor }}
      intro={
        <p>
          <a href="#/reports" aria-current={query?.state === 'open'}>
            Open
          </a>{' '}
          ·{' '}
          <a href="#/reports?state=closed" aria-current={query?.state === 'closed'}>
            Closed
          </a>
        </p>
      }
      idOf={({ report_id }) => report_id}
      columns={{
        Clip: ({ clip_id, title, outcome }) => (
          <a class="thumbnail" href={`/clips/${clip_id}`} target="_blank" rel="noopener">
            {outcome !== 'removed' && <img src={`/clips/${clip_id}/thumbnail.jpg`} alt="" loading="lazy" />}
            <bdi>{title || short(clip_id)}</bdi>
          </a>
        ),
        Owner: ({ account_id, account_name }) =>
          account_id ? <NameLink to="accounts" id={account_id} name={account_name} /> : '–',
        Job: ({ job_id }) => (job_id ? <NameLink to="jobs" id={job_id} /> : '–'),
        Report: ({ reason, text }) => (
          <div class="words">
            <b>{REPORT_REASONS[reason]}</b>
            {text && `\n${text}`}
          </div>
        ),
        'Answer to': ({ contact }) => (contact ? <span class="address">{contact}</span> : '–'),
        Came: ({ created_at }) => <Time at={created_at} />,
        State: ({ outcome }) => <Pill state={outcome ?? 'open'} />,
        Actions: (report) => report.outcome === null && tools.can('operate') && actionsOf(report, tools),
      }}
    />
  );
};

function actionsOf({ report_id: id, clip_id, title }: ClipReport, tools: ViewTools) {
  const dismiss = () =>
    tools.run('The report is dismissed.', () =>
      call('closeReport', { params: { id }, body: { outcome: 'dismissed' } }),
    );
  return (
    <div class="actions">
      <Button text="Dismiss" label={`Dismiss the report of ${title || short(clip_id)}`} onClick={dismiss} />
      {takeDownButton(tools, clip_id, title || short(clip_id))}
    </div>
  );
}

/** Returns the button that takes a clip down, and asks for the reason. */
export function takeDownButton(tools: ViewTools, id: string, title: string): JSX.Element {
  const takeDown = ({ reason = '' }: Record<string, string>) =>
    tools.send('The clip is taken down.', () => call('removeClip', { params: { id }, body: { reason } }));
  return (
    <AskButton
      text="Take down"
      label={`Take down ${title}`}
      isDanger
      title={`Take down “${title}”?`}
      what="Its page and files are gone at once and for good, and its open reports are closed. Its owner reads the reason."
      onAct={takeDown}
    >
      <Field label="Reason" name="reason" required maxLength={500} autocomplete="off" />
    </AskButton>
  );
}
