import { describe, expect, expectTypeOf, it } from 'vitest';
import { href, methodOf, type Params, pathOf } from '#protocol/routes.ts';

describe('the address of a line', () => {
  it('has each parameter in its place', () => {
    expect(href('GET /api/jobs/:id', { id: 'j' })).toBe('/api/jobs/j');
    expect(href('GET /clips/:id/video.mp4', { id: 'c' })).toBe('/clips/c/video.mp4');
    expect(href('POST /admin/accounts/:id/keys/:key/rotate', { id: 'a', key: 'k' })).toBe(
      '/admin/accounts/a/keys/k/rotate',
    );
  });

  it('is the line itself where it has no parameters', () => {
    expect(href('POST /api/clips')).toBe('/api/clips');
    expect(href('GET /')).toBe('/');
  });

  it('keeps a parameter inside of its segment', () => {
    expect(href('POST /api/clips/:id/save', { id: '../jobs/1?x#y' })).toBe('/api/clips/..%2Fjobs%2F1%3Fx%23y/save');
  });

  it('requires exactly the parameters that the line names', () => {
    expectTypeOf<Params<'DELETE /a/:id/b/:key'>>().toEqualTypeOf<{ readonly id: string; readonly key: string }>();
    // biome-ignore lint/complexity/noBannedTypes: that there is none is the point
    expectTypeOf<Params<'GET /a'>>().toEqualTypeOf<{}>();
  });
});

it('a line is a method and a path', () => {
  expect(methodOf('DELETE /admin/hosts/:id')).toBe('DELETE');
  expect(pathOf('DELETE /admin/hosts/:id')).toBe('/admin/hosts/:id');
});
