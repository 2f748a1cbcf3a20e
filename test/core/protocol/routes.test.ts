import { describe, expect, expectTypeOf, it } from 'vitest';
import { API_ROUTES, href, methodOf, type Params, PUBLIC_ROUTES, pathOf } from '#protocol/routes.ts';
import { ADMIN_ROUTES } from '#protocol/service-routes.ts';

describe('the address of a line', () => {
  it('has each parameter in its place', () => {
    expect(href(API_ROUTES.getJob, { id: 'j' })).toBe('/api/jobs/j');
    expect(href(PUBLIC_ROUTES.clipVideo, { id: 'c' })).toBe('/clips/c/video.mp4');
    expect(href(ADMIN_ROUTES.rotateKey, { id: 'a', key: 'k' })).toBe('/admin/accounts/a/keys/k/rotate');
  });

  it('is the line itself where it has no parameters', () => {
    expect(href(API_ROUTES.submitClip)).toBe('/api/clips');
    expect(href(PUBLIC_ROUTES.landing)).toBe('/');
  });

  it('keeps a parameter inside of its segment', () => {
    expect(href(API_ROUTES.saveClip, { id: '../jobs/1?x#y' })).toBe('/api/clips/..%2Fjobs%2F1%3Fx%23y/save');
  });

  it('asks for exactly the parameters that the line names', () => {
    expectTypeOf<Params<'DELETE /a/:id/b/:key'>>().toEqualTypeOf<{ readonly id: string; readonly key: string }>();
    // biome-ignore lint/complexity/noBannedTypes: that there is none is the point
    expectTypeOf<Params<'GET /a'>>().toEqualTypeOf<{}>();
  });
});

it('a line is a method and a path', () => {
  expect(methodOf(ADMIN_ROUTES.revokeHost)).toBe('DELETE');
  expect(pathOf(ADMIN_ROUTES.revokeHost)).toBe('/admin/hosts/:id');
});
