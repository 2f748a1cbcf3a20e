import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleRequest } from '#client/index.ts';
import { Field, Form } from '../components.tsx';
import { type ClipOptions, DEFAULT_OPTIONS, OptionsForm } from './options-form.tsx';

/** The common rules, by their names in the form. */
const RENDERS: Readonly<Record<string, RuleRequest['render']>> = {
  'The best moments': { what: 'highlights' },
  'Every ace': { what: 'highlights', kinds: ['ace'] },
  "Each player's best": { what: 'best_of_each' },
  'All kills of a player': { what: 'kills' },
};

/** Asks for a rule. Each field is named by its path in the rule, so that the form shows what is wrong at it. */
export function NewRule({ onSend }: { onSend(rule: RuleRequest): Promise<unknown> }): JSX.Element {
  const [options, setOptions] = useState<ClipOptions>(DEFAULT_OPTIONS);
  const create = (values: Record<string, string>) => {
    const listed = (path: string) => values[path]?.split(/[\s,]+/);
    return onSend({
      name: values.name ?? '',
      when: { maps: listed('when.maps'), tags: listed('when.tags') },
      render: {
        ...(RENDERS[values['render.what'] ?? ''] ?? { what: 'highlights' }),
        ...{ players: listed('render.players'), team: values['render.team'] as 'T' | 'CT' | undefined },
        limit: Number(values['render.limit']),
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
        <Field label="Most clips of a demo" name="render.limit" type="number" min={1} max={10} value={3} required />
        <Field label="Of these players" name="render.players" placeholder="Steam ids" />
        <Field label="Of the team that starts as" name="render.team" options={['', 'T', 'CT']} />
        <Field label="Only maps" name="when.maps" placeholder="de_mirage de_nuke" />
        <Field label="Only demos tagged" name="when.tags" placeholder="league" />
        <Field label="Webhook of a Discord channel" name="send.discord_url" type="url" autocomplete="off" />
        <Field label="Webhook of your own" name="send.webhook_url" type="url" autocomplete="off" />
        <OptionsForm options={options} onChange={setOptions} />
      </Form>
    </details>
  );
}
