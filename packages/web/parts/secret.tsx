import type { JSX } from 'preact';
import { Copy, Dialog } from './components.tsx';

export interface SecretText {
  readonly title: string;
  readonly text: string;
}

/** Shows a secret once, with a button that copies it. */
export function Secret({ title, text, onClose }: SecretText & { onClose(): void }): JSX.Element {
  return (
    <Dialog label={title} close="I have it" onClose={onClose}>
      <p>It is shown this once.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what is copied */}
      <code class="secret" tabIndex={0}>
        {text}
      </code>
      <Copy text={text} />
    </Dialog>
  );
}
