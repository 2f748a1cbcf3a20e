import type { JSX } from 'preact';
import type { Overview } from '#client/operator-shapes.ts';
import { type Child, h, table } from '../components.ts';
import { ask } from './api.ts';
import { dayChart } from './chart.ts';
import { amount, bytes, span } from './format.ts';
import type { View } from './view.ts';

export const overviewView: View = async () => drawOverview(await ask<Overview>('/admin/overview?days=14'));

function drawOverview({ queue, running, hosts, webhooks, clips, days }: Overview): Child {
  const seconds = days.reduce((sum, { rendered_seconds }) => sum + rendered_seconds, 0);
  const states = Object.entries(hosts).map(([state, count]) => `${amount(count)} ${state}`);
  return [
    h('h1', {}, 'Overview'),
    h(
      'dl',
      { class: 'tiles' },
      queue.map(({ tier, waiting, oldest_s }) =>
        tile(`Waiting, ${tier}`, amount(waiting), oldest_s === null ? 'none' : `the first for ${span(oldest_s)}`),
      ),
      tile('Running', amount(running), 'on hosts'),
      tile('Hosts', amount((hosts.idle ?? 0) + (hosts.busy ?? 0)), states.join(', ') || 'none was heard of'),
      tile('Webhooks failing', amount(webhooks.failing), `${amount(webhooks.exhausted)} exhausted`),
      tile('Clips stored', amount(clips.count), bytes(clips.bytes)),
      tile('Rendered in 14 days', span(seconds), 'of clip'),
    ),
    h('h2', {}, 'Runs by day'),
    dayChart(days),
    h('p', { class: 'legend' }, h('i', { class: 'done' }), 'made a clip', h('i', { class: 'fail' }), 'failed'),
    h('h2', {}, 'Failures by code'),
    table('failures', failuresOf(days), [
      { name: 'Code', cell: ([code]) => h('a', { href: `#/jobs?error_code=${encodeURIComponent(code)}` }, code) },
      { name: 'Today', cell: ([, , today]) => amount(today) },
      { name: 'In 14 days', cell: ([, all]) => amount(all) },
    ]),
  ];
}

function tile(name: string, value: string, more: string): JSX.Element {
  return h('div', {}, h('dt', {}, name), h('dd', {}, h('b', {}, value), ' ', h('span', {}, more)));
}

/** Each code with its failures of all days and of the last, most first. */
function failuresOf(days: Overview['days']): [code: string, all: number, today: number][] {
  const all = new Map<string, number>();
  for (const { failed } of days)
    for (const [code, n] of Object.entries(failed)) all.set(code, (all.get(code) ?? 0) + n);
  const today = days.at(-1)?.failed ?? {};
  const rows = [...all].map(([code, n]): [string, number, number] => [code, n, today[code] ?? 0]);
  return rows.sort(([, a], [, b]) => b - a);
}
