import { expect, test } from 'vitest';
import { redactUrl } from '#render-host/download/open-demo.ts';

test.each([
  ['https://demos.example.com/a/b.dem.gz?X-Amz-Signature=secret&t=1', 'https://demos.example.com/a/b.dem.gz'],
  ['https://user:secret@demos.example.com:8443/b.dem#secret', 'https://demos.example.com:8443/b.dem'],
  ['http://[::1]:9/b.dem', 'http://[::1]:9/b.dem'],
  ['secret?not a URL', 'an unreadable URL'],
])('%s is logged as %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});
