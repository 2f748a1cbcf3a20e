import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleRequest, Tickreel, UploadSummary } from '#client/index.ts';
import { DEFAULT_BUDGET } from '#domain/account/account.ts';
import { Field, Form } from '../parts/components.tsx';
import { type ClipOptions, DEFAULT_OPTIONS, OptionsForm } from './options-form.tsx';

/** The common rules, by their names in the form. */
const RENDERS: Readonly<Record<string, RuleRequest['render']>> = {
  'The best moments': { what: 'highlights' },
  'Every ace': { what: 'highlights', kinds: ['ace'], limit: 10 },
  "Each player's best": { what: 'best_of_each' },
  'All kills of a player': { what: 'kills' },
};

const AT_ONCE = 'at once';

/** Asks for a rule. Each field is named by its path in the rule, so that the form shows what is wrong at it. */
export function NewRule({
  client,
  onSend,
}: {
  readonly client: Tickreel;
  onSend(rule: RuleRequest): Promise<unknown>;
}): JSX.Element {
  const [options, setOptions] = useState<ClipOptions>(DEFAULT_OPTIONS);
  const create = (values: Record<string, string>) => {
    const listed = (path: string) => values[path]?.match(/[^\s,]+/g) ?? undefined;
    const limit = values['render.limit'];
    return onSend({
      name: values.name ?? '',
      enabled: values.enabled === AT_ONCE,
      when: {
        sources: listed('when.sources') as UploadSummary['source'][] | undefined,
        maps: listed('when.maps'),
        tags: listed('when.tags'),
      },
      render: {
        ...(RENDERS[values['render.what'] ?? ''] ?? { what: 'highlights' }),
        players: listed('render.players'),
        team: values['render.team'] as 'T' | 'CT' | undefined,
        ...(limit && { limit: Number(limit) }),
      },
      options,
      send: { discord_url: values['send.discord_url'], webhook_url: values['send.webhook_url'] },
    });
  };
  return (
    <details>
      <summary>New rule</summary>
      <Form label="New rule" submit="Create the rule" isMain isReset onSend={create}>
        <Field label="Name" name="name" required maxLength={100} />
        <Field label="Render" name="render.what" options={Object.keys(RENDERS)} />
        <Field
          label="Most clips of a demo"
          name="render.limit"
          type="number"
          min={1}
          max={10}
          placeholder="3 of the best, else 10"
        />
        <Field label="Of these players" name="render.players" placeholder="Steam ids" />
        <Field label="Of the team that starts as" name="render.team" options={['', 'T', 'CT']} />
        <Field label="Only demos that came by" name="when.sources" options={['', 'ingest', 'faceit', 'upload']} />
        <Field label="Only maps" name="when.maps" placeholder="de_mirage de_nuke" />
        <Field label="Only demos tagged" name="when.tags" placeholder="league" />
        <Field label="Webhook of a Discord channel" name="send.discord_url" type="url" autocomplete="off" />
        <Field label="Webhook of your own" name="send.webhook_url" type="url" autocomplete="off" />
        <Field label="Begin" name="enabled" options={['paused, to try it first', AT_ONCE]} />
        <OptionsForm client={client} options={options} onChange={setOptions} />
        <p class="hint">
          A clip costs as much as one that you submit. The rule makes at most {DEFAULT_BUDGET.clips_a_day} clips of{' '}
          {DEFAULT_BUDGET.demos_a_day} demos in a day (UTC). Once it is there, “Try” shows the clips of a demo and what
          they cost.
        </p>
      </Form>
    </details>
  );
}
