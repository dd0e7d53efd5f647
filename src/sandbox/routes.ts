import { expenseRoutes } from './handlers/expenses.ts';
import { peopleRoutes } from './handlers/people.ts';
import { projectRoutes } from './handlers/projects.ts';
import { timeRoutes } from './handlers/time.ts';
import type { Route } from './input.ts';

export const ROUTES: readonly Route[] = [...peopleRoutes, ...projectRoutes, ...timeRoutes, ...expenseRoutes];

const sent = ROUTES.flatMap(({ events = [] }) => events);
export const EVENTS: readonly string[] = [...new Set(['tracker.started', ...sent])];

/** The route of a method and path, and the values of its braces, decoded. One with fewer braces wins. */
export function findRoute<T extends { readonly route: string }>(
  routes: readonly T[],
  method: string,
  path: string,
): { readonly route: T; readonly path: Readonly<Record<string, string>> } | undefined {
  const sent = `${method} ${path}`.split('/');
  const matches = routes.flatMap((route) => {
    const parts = route.route.split('/').map((part, n) => [part, sent[n] ?? ''] as const);
    const values = parts.filter(([part]) => part.startsWith('{'));
    const isFilled = parts.every(([part, text]) => (part.startsWith('{') ? text !== '' : part === text));
    return parts.length === sent.length && isFilled ? [{ route, values }] : [];
  });
  const [found] = matches.sort((a, b) => a.values.length - b.values.length);
  try {
    const values = found?.values.map(([part, text]) => [part.slice(1, -1), decodeURIComponent(text)]);
    return found && { route: found.route, path: Object.fromEntries(values ?? []) };
  } catch {
    return undefined; // no encoding of anything
  }
}
