import type { JSX } from 'preact';
import { AskButton } from '../ask.tsx';
import { Field } from '../components.tsx';
import { call } from './operator.ts';
import type { ViewTools } from './view.tsx';

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
      what="Its page and files are gone at once and for good. Its owner reads the reason."
      onAct={takeDown}
    >
      <Field label="Reason" name="reason" required maxLength={500} autocomplete="off" />
    </AskButton>
  );
}
