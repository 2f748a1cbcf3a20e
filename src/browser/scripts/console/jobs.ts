import type { JSX } from 'preact';
import type { AllJobs, FailingDeliveryList, JobStory, Resent } from '#client/operator-shapes.ts';
import { button, type Child, choice, field, form, h, table } from '../components.ts';
import { ask, withQuery } from './api.ts';
import { ago, bytes, percent, short, span } from './format.ts';
import type { Desk, View } from './view.ts';

const STATUSES = ['', 'pending', 'prefetch', 'render', 'done', 'retrying', 'error'];

export const jobLink = (id: string): JSX.Element => h('a', { href: `#/jobs/${id}`, class: 'id' }, short(id));
export const accountLink = (id: string): JSX.Element => h('a', { href: `#/accounts/${id}`, class: 'id' }, short(id));
export const pill = (word: string): JSX.Element => h('span', { class: `pill ${word.replace(' ', '-')}` }, word);

/** Jobs of all accounts, as the address filters them. */
export const jobsView: View = async (desk, { query }) => {
  const asked = Object.fromEntries(query);
  const { jobs, next_cursor } = await ask<AllJobs>(withQuery('/admin/jobs', asked));
  const more = { ...asked, cursor: next_cursor };
  return [
    h('h1', {}, 'Jobs'),
    form(
      { class: 'filters', 'aria-label': 'Filter' },
      (values) => desk.go(withQuery('#/jobs', values)),
      field('Account', 'account', { value: asked.account ?? '', size: 20 }),
      choice('State', 'status', STATUSES, asked.status ?? ''),
      choice('Tier', 'tier', ['', 'reserved', 'metered'], asked.tier ?? ''),
      field('Code', 'error_code', { value: asked.error_code ?? '', size: 16 }),
      h('button', { type: 'submit', class: 'main' }, 'Filter'),
    ),
    table('jobs', jobs, [
      { name: 'Job', cell: ({ id }) => jobLink(id) },
      { name: 'State', cell: ({ status }) => pill(status) },
      { name: 'Tier', cell: ({ priority }) => (priority ? 'reserved' : 'metered') },
      { name: 'Account', cell: ({ account_id }) => accountLink(account_id) },
      { name: 'Submitted', cell: ({ created_at }) => ago(created_at) },
      { name: 'Code', cell: ({ error_code }) => error_code ?? '–' },
      { name: 'Webhook', cell: ({ webhook }) => (webhook ? pill(webhook) : '–') },
    ]),
    next_cursor === null ? null : h('p', {}, h('a', { class: 'button', href: withQuery('#/jobs', more) }, 'Older')),
  ];
};

/** The whole story of one. */
export const jobView: View = async (desk, { path: [, id = ''] }) => {
  const story = await ask<JobStory>(`/admin/jobs/${id}`);
  const { job, lease, clip, attempts, deliveries } = story;
  return [
    h('h1', {}, 'Job ', h('code', {}, job.id)),
    h('p', {}, pill(job.status), ` ${percent(story.progress)} ${job.error_code ?? ''}`),
    story.error_detail ? h('p', { class: 'detail' }, story.error_detail) : null,
    desk.may('operate') && job.finished_at === null ? button('Cancel', () => cancel(desk, id)) : null,
    h(
      'dl',
      { class: 'facts' },
      fact('Account', accountLink(story.account_id)),
      fact('Tier', job.priority ? 'reserved' : 'metered'),
      fact('Submitted', `${job.created_at.slice(0, 19).replace('T', ' ')} UTC, ${ago(job.created_at)}`),
      fact('Run, attempt', `${story.run}, ${story.attempt}`),
      fact('Spent in vain', span(story.host_seconds)),
      story.retry_at ? fact('Tried again', ago(story.retry_at)) : null,
      lease ? fact('Host', `${lease.host_id}, since ${ago(lease.granted_at)}, until ${ago(lease.deadline)}`) : null,
    ),
    h('h2', {}, 'Attempts that failed'),
    table('failed attempts', attempts, [
      { name: 'Run, attempt', cell: ({ run, attempt }) => `${run}, ${attempt}` },
      { name: 'Host', cell: ({ host_id }) => h('code', {}, short(host_id)) },
      { name: 'Ended', cell: ({ ended_at }) => ago(ended_at) },
      { name: 'Took', cell: (one) => span((Date.parse(one.ended_at) - Date.parse(one.granted_at)) / 1000) },
      { name: 'Code', cell: ({ code }) => code ?? 'given back' },
      { name: 'Detail', cell: ({ detail, log }) => [detail ?? '', log ? logOf(log) : null] },
    ]),
    h('h2', {}, 'Webhooks'),
    deliveryTable(deliveries),
    desk.may('operate') && deliveries.length > 0 ? resendButton(desk, [job.id], 'Send the last one again') : null,
    h('h2', {}, 'Clip'),
    clip === null
      ? h('p', { class: 'hint' }, 'None yet.')
      : h(
          'dl',
          { class: 'facts' },
          fact('Title', h('a', { href: `/clips/${story.clip_id}` }, clip.title)),
          fact('State', clip.is_saved ? `${clip.state}, saved` : clip.state),
          fact('Rendered', `${ago(clip.rendered_at)} by ${short(clip.rendered_by ?? '')}`),
          fact('Files', `${bytes(clip.video.bytes)} of video, ${bytes(clip.thumbnail.bytes)} of thumbnail`),
          fact('Key', h('code', {}, clip.video.key || 'none any more')),
        ),
    h('h2', {}, 'Request'),
    h('pre', { tabindex: 0, 'aria-label': 'Request' }, JSON.stringify(job.payload, null, 2)),
  ];
};

function fact(name: string, value: Child): JSX.Element {
  return h('div', {}, h('dt', {}, name), h('dd', {}, value));
}

function logOf(log: string): JSX.Element {
  return h('details', {}, h('summary', {}, "The host's log"), h('pre', { tabindex: 0, 'aria-label': 'Log' }, log));
}

function deliveryTable(deliveries: JobStory['deliveries']): JSX.Element {
  return table('webhooks', deliveries, [
    { name: 'State', cell: ({ status }) => pill(status) },
    { name: 'Address', cell: ({ url }) => h('span', { class: 'address' }, url) },
    { name: 'Made', cell: ({ created_at }) => ago(created_at) },
    { name: 'Attempts', cell: ({ attempts }) => attempts.length },
    { name: 'Last answer', cell: ({ attempts }) => attempts.at(-1)?.error ?? attempts.at(-1)?.http_status ?? '–' },
    { name: 'Next', cell: ({ next_attempt_at }) => (next_attempt_at ? ago(next_attempt_at) : '–') },
  ]);
}

async function cancel(desk: Desk, id: string): Promise<void> {
  if (!desk.sure('End this job? Its account is told that it failed.')) return;
  await desk.act('The job has ended.', () => ask(`/admin/jobs/${id}/cancel`, 'POST'));
}

function resendButton(desk: Desk, job_ids: readonly string[], text: string): JSX.Element {
  return button(text, () => desk.act('It is on its way.', () => resend({ job_ids })));
}

/** A hundred at a time, until none is left. What is refused keeps nobody from the rest. */
async function resend(body: object): Promise<void> {
  const reasons: string[] = [];
  let cursor: string | null = null;
  do {
    const asked = cursor === null ? body : { ...body, cursor };
    const page: Resent = await ask('/admin/deliveries/resend', 'POST', asked);
    reasons.push(...page.refused.map(({ reason }) => reason));
    cursor = page.next_cursor;
  } while (cursor !== null);
  if (reasons.length > 0) throw new Error(`${reasons.length} not sent: ${[...new Set(reasons)].join(', ')}.`);
}

/** Webhooks of all accounts that do not arrive. */
export const deliveriesView: View = async (desk, { query }) => {
  const asked = Object.fromEntries(query);
  const { deliveries, next_cursor } = await ask<FailingDeliveryList>(withQuery('/admin/deliveries', asked));
  const resendAll = () =>
    desk.sure('Send every exhausted webhook again, of all accounts?') &&
    desk.act('All of them are on their way.', () => resend({ all: 'exhausted' }));
  return [
    h('h1', {}, 'Webhooks that do not arrive'),
    desk.may('operate') && deliveries.length > 0 ? h('p', {}, button('Send all exhausted again', resendAll)) : null,
    table('failing webhooks', deliveries, [
      { name: 'Job', cell: ({ job_id }) => jobLink(job_id) },
      { name: 'Account', cell: ({ account_id }) => accountLink(account_id) },
      { name: 'State', cell: ({ trouble }) => pill(trouble) },
      { name: 'Since', cell: ({ created_at }) => ago(created_at) },
      { name: 'Address', cell: ({ delivery }) => h('span', { class: 'address' }, delivery?.url ?? '–') },
      { name: 'Last answer', cell: ({ delivery }) => delivery?.attempts.at(-1)?.error ?? '–' },
      {
        name: 'Actions',
        cell: ({ job_id }) => (desk.may('operate') ? resendButton(desk, [job_id], 'Send again') : null),
      },
    ]),
    next_cursor === null
      ? null
      : h('a', { class: 'button', href: withQuery('#/deliveries', { cursor: next_cursor }) }, 'More'),
  ];
};
