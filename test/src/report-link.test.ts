import { createExecutionContext } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Bindings } from '../../service/bindings.ts';
import { createService } from '../../service/service.ts';
import { createApp } from '../../src/worker.ts';
import { createClipMaker } from '../support/clips.ts';
import { BASE_URL, bindings } from '../support/service.ts';

let clipId: string;

beforeAll(async () => {
  clipId = await (await createClipMaker()).make();
});

describe('the address for reports', () => {
  const pages = async (variables: Record<string, string>) => {
    const app = createApp(createService({ ...bindings, ...variables } as Bindings));
    const read = (path: string) => app(new Request(BASE_URL + path), createExecutionContext()).then((r) => r.text());
    return Promise.all([read(`/clips/${clipId}`), read(`/clips/${clipId}/embed`)]);
  };

  it('is on the page and the embed, and names the clip', async () => {
    const page = encodeURIComponent(`${BASE_URL}/clips/${clipId}`);
    for (const text of await pages({ ABUSE_URL: 'mailto:abuse@example.com' })) {
      expect(text).toContain(`href="mailto:abuse@example.com?subject=${page}"`);
    }
    for (const text of await pages({ ABUSE_URL: 'https://example.com/report?from=clips' })) {
      expect(text).toContain(`href="https://example.com/report?from=clips&#38;clip=${page}"`);
    }
  });

  it('is nowhere unless it is set, and can be no script', async () => {
    for (const text of await pages({})) expect(text).not.toContain('class="report"');
    expect(() => createService({ ...bindings, ABUSE_URL: 'javascript:alert(1)' } as unknown as Bindings)).toThrow(
      'ABUSE_URL',
    );
  });
});
