import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ASPECTS } from '#domain/clip/render-order.ts';
import { TEST_ENDS, testEndOf } from '#domain/job/test-end.ts';
import { HostInspection } from '#protocol/demo/demos.ts';

describe('the address of a test demo', () => {
  it.each([
    ['https://demo.test/ok.dem', 'ok'],
    ['http://demo.test/slow.dem', 'slow'],
    ['HTTPS://DEMO.TEST:8443/no_kills_found.dem?n=7#x', 'no_kills_found'],
    ['https://demo.test/no_such_code.dem', 'demo_404'],
    ['https://demo.test/ok.dem.gz', 'demo_404'],
    ['https://demo.test/sub/ok.dem', 'demo_404'],
    ['https://demo.test', 'demo_404'],
    ['https://demo.test/', 'demo_404'],
    ['https://demo.test?ok.dem', 'demo_404'],
    ['https://demo.test.example.com/no_kills_found.dem', 'ok'],
    ['https://example.com/demo.test/no_kills_found.dem', 'ok'],
    ['https://my-demo.test/no_kills_found.dem', 'ok'],
  ] as const)('%s ends with %s', (url, end) => expect(testEndOf(url)).toBe(end));

  it.each(TEST_ENDS)('%s is one, and docs/test-keys.md has it', (end) => {
    expect(testEndOf(`https://demo.test/${end}.dem`)).toBe(end);
    expect(readFileSync('docs/test-keys.md', 'utf8')).toContain(`\`/${end}.dem\``);
  });
});

it('the files of test jobs are those that the code announces', () => {
  const clip = JSON.parse(readFileSync('core/domain/lib/test-clip.json', 'utf8'));
  const names = { video: 'video.mp4', thumbnail: 'thumbnail.jpg', storyboard: 'storyboard.jpg' };
  const folders = [['', clip], ...ASPECTS.slice(1).map((one) => [`${one.replace(':', 'x')}/`, clip.shapes[one]])];
  for (const [folder, files] of folders) {
    for (const [name, file] of Object.entries(names)) {
      const content = readFileSync(`src/static/test/${folder}${file}`);
      const sha256 = createHash('sha256').update(content).digest('hex');
      expect(files[name]).toMatchObject({ bytes: content.length, sha256 });
      expect(content.length).toBeLessThan(500_000);
    }
  }
  const found = HostInspection.parse(JSON.parse(readFileSync('src/static/test/demo.json', 'utf8')));
  expect(found.highlights.length).toBeGreaterThan(0);
});
