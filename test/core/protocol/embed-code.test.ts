import { expect, it } from 'vitest';
import { embedCode } from '#protocol/embed-code.ts';

it('the iframe of a clip has its size, and an escaped address and title', () => {
  const attributes = 'frameborder="0" allow="autoplay; fullscreen" allowfullscreen loading="lazy"';
  expect(embedCode({ title: '"Ace" & <b>\u202e' }, "https://a.example/?t=1&u='")).toBe(
    `<iframe src="https://a.example/?t=1&#38;u=&#39;" width="960" height="540" title="&#34;Ace&#34; &#38; &#60;b&#62;" ${attributes}></iframe>`,
  );
  expect(embedCode({ title: '\n' }, '/c', { width: 640, height: 360 })).toBe(
    `<iframe src="/c" width="640" height="360" title="Clip" ${attributes}></iframe>`,
  );
});
