import { describe, expect, it } from 'vitest';
import { findRoute } from '../../src/sandbox/routes.ts';

/** The one with more braces stands first: order does not decide. */
const ROUTES = [
  'GET /leaves/{id}',
  'GET /leaves/policies',
  'PUT /leaves/{id}/approve',
  'DELETE /leaves/{id}',
].map((route) => ({ route }));

const found = (method: string, path: string) => {
  const match = findRoute(ROUTES, method, path);
  return match && [match.route.route, match.path];
};

describe('a route', () => {
  it('is found by method and path, with the values of its braces decoded', () => {
    expect(found('GET', '/leaves/7')).toEqual(['GET /leaves/{id}', { id: '7' }]);
    expect(found('DELETE', '/leaves/a%2Fb')).toEqual(['DELETE /leaves/{id}', { id: 'a/b' }]);
    expect(found('PUT', '/leaves/%C3%A9/approve')).toEqual(['PUT /leaves/{id}/approve', { id: 'é' }]);
    expect(found('PUT', '/leaves/7/%61pprove')).toEqual(['PUT /leaves/{id}/approve', { id: '7' }]);
  });

  it('with fewer braces wins', () => {
    expect(found('GET', '/leaves/policies')).toEqual(['GET /leaves/policies', {}]);
  });

  it.each([
    ['PATCH', '/leaves/7'],
    ['GET', '/leaves/'],
    ['GET', '/leaves'],
    ['GET', '/leaves/7/'],
    ['GET', 'leaves/7'],
    ['GET', '/leaves/%'],
    ['GET', '/leaves/%ff'],
    ['PUT', '/leaves//approve'],
    ['GET', '/constructor/7'],
  ])('%s %s is none', (method, path) => {
    expect(found(method, path)).toBeUndefined();
  });
});
