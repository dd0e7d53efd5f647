import type { Route } from './call.ts';
import { expenseRoutes } from './handlers/expenses.ts';
import { peopleRoutes } from './handlers/people.ts';
import { projectRoutes } from './handlers/projects.ts';
import { timeRoutes } from './handlers/time.ts';

export const ROUTES: readonly Route[] = [...peopleRoutes, ...projectRoutes, ...timeRoutes, ...expenseRoutes];

/** What webhooks may subscribe to: what operations send, and the start of a tracker, however it comes about. */
const sent = ROUTES.flatMap(({ events = [] }) => events);
export const EVENTS: readonly string[] = [...new Set(['tracker.started', ...sent])];

/** The route of a method and path, and the values of its braces, decoded. One with fewer braces wins. */
export function findRoute<T extends { readonly route: string }>(
  routes: readonly T[],
  method: string,
  path: string,
): { readonly route: T; readonly path: Readonly<Record<string, string>> } | undefined {
  let segments: readonly string[];
  try {
    segments = path.split('/').map((segment) => decodeURIComponent(segment));
  } catch {
    return undefined; // no encoding of anything
  }
  const matches = routes.flatMap((route) => {
    const [verb, pattern = ''] = route.route.split(' ');
    const parts = pattern.split('/');
    if (verb !== method || parts.length !== segments.length) return [];
    const values: Record<string, string> = {};
    for (const [index, part] of parts.entries()) {
      const value = segments[index] ?? '';
      const isBrace = part.startsWith('{');
      if (isBrace ? value === '' : value !== part) return [];
      if (isBrace) values[part.slice(1, -1)] = value;
    }
    return [{ route, path: values }];
  });
  return matches.sort((a, b) => Object.keys(a.path).length - Object.keys(b.path).length)[0];
}
