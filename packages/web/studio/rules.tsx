import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Rule, Tickreel, UploadSummary } from '#client/index.ts';
import { ruleState, ruleText } from '#client/rule-text.ts';
import type { Scope } from '#domain/account/account.ts';
import { AskButton } from '../parts/ask.tsx';
import { Button } from '../parts/components.tsx';
import { timeText } from './gallery.tsx';
import { NewRule } from './new-rule.tsx';
import { planText } from './plan.ts';
import { Needs } from './renders.tsx';
import { Trouble } from './sign-in.tsx';

interface Props {
  readonly client: Tickreel;
  /** A rule can be tried on these. */
  readonly uploads: readonly UploadSummary[];
  /** Of the user's key. */
  readonly scope: Scope;
}

/** Shows the account's rules: what is rendered and sent by itself when a demo arrives. */
export function Rules({ client, uploads, scope }: Props): JSX.Element {
  /** Null until they are shown. */
  const [rules, setRules] = useState<readonly Rule[] | null>(null);
  const [trouble, setTrouble] = useState<unknown>(null);
  const load = async () => setRules(await client.rules.list());
  const attempt = (work: Promise<unknown>) => work.then(load).then(() => setTrouble(null), setTrouble);
  const buttons = ({ id, name, enabled }: Rule) => (
    <div class="row">
      <AskButton
        text="Try"
        label={`Try ${name}`}
        title={`Try ${name}`}
        what="It shows the clips that the rule would make of a demo, and makes none."
        submit="Show the clips"
        onAct={({ demo = '' }) => trialOf(client, id, demo)}
      >
        <select name="demo" aria-label="Demo" required>
          {uploads.map(({ id, name, state, demo_url, created_at }) => (
            <option key={id} value={demo_url} disabled={state === 'open'}>{`${name}, ${timeText(created_at)}`}</option>
          ))}
        </select>{' '}
      </AskButton>
      <Button
        text={enabled ? 'Pause' : 'Resume'}
        label={`${enabled ? 'Pause' : 'Resume'} ${name}`}
        onClick={() => attempt(client.rules.change(id, { enabled: !enabled }))}
      />
      <AskButton
        text="Delete"
        label={`Delete ${name}`}
        what="Its clips stay. This cannot be undone."
        submit="Delete the rule"
        onAct={() => client.rules.delete(id).then(load)}
      />
    </div>
  );
  return (
    <section class="card" aria-labelledby="rules">
      <details onToggle={() => attempt(load())}>
        <summary>
          <h2 id="rules">Rules</h2>
        </summary>
        {rules?.length === 0 && <p class="hint">A rule renders and sends clips by itself when a demo arrives.</p>}
        <Needs needed="submit" scope={scope}>
          <ul class="renders rules">
            {rules?.map((rule) => (
              <li key={rule.id}>
                <b>
                  <bdi>{rule.name}</bdi> <small>{ruleState(rule)}</small>
                </b>
                {factsOf(rule).map((fact) => (
                  <small key={fact}>{fact}</small>
                ))}
                {buttons(rule)}
              </li>
            ))}
          </ul>
          <Trouble error={trouble} />
          {rules && <NewRule client={client} onSend={(rule) => client.rules.create(rule).then(load)} />}
        </Needs>
      </details>
    </section>
  );
}

/** What it does, where it sends, what it has used of its budget, and its last run. */
function factsOf({ when, render, send, last_run: last, budget, used }: Rule): readonly string[] {
  return [
    ruleText({ when, render }).replace(/^./, (letter) => letter.toUpperCase()),
    ...Object.values(send).map((address) => `Sent to ${address}`),
    `Today ${used.clips_a_day} of ${budget.clips_a_day} clips, ${used.demos_a_day} of ${budget.demos_a_day} demos`,
    last ? `Last run ${timeText(last.created_at)}: ${last.state}, ${last.detail ?? ''}` : 'It has not run yet',
  ].map((fact) => fact.replace(/, $/, ''));
}

/** Returns the clips that a rule would make of a demo, with their cost, as text. */
async function trialOf(client: Tickreel, ruleId: string, demoUrl: string): Promise<string> {
  const { match } = await client.demos.inspect(demoUrl);
  const { mismatch, clips } = await client.rules.try(ruleId, demoUrl);
  const made = clips.map(({ request: { round, timeline, steam64_id = timeline?.[0]?.steam64_id }, plan, problem }) => {
    const name = match?.players.find((player) => player.steam64_id === steam64_id)?.name;
    return `${name}${round ? `, round ${round}` : ''}: ${problem ?? planText(plan ? [plan] : [])}`;
  });
  const all = planText(clips.flatMap(({ plan }) => plan ?? []));
  return [mismatch === null ? `Clips: ${made.length} · ${all}` : `No clips: ${mismatch}.`, ...made].join('\n');
}
