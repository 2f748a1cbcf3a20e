import { render } from 'preact';
import { Studio } from './studio/studio.tsx';

const root = document.querySelector('#studio');
if (root) {
  root.replaceChildren();
  render(<Studio />, root);
}
