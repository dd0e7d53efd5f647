import type { Route } from './call.ts';
import { Refused } from './refusal.ts';

export interface Match {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

const bracesOf = (pattern: string, segments: readonly string[]): Record<string, string> | undefined => {
  const wanted = pattern.split('/');
  if (wanted.length !== segments.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = decoded(segments[index] ?? '');
    if (value === undefined) return undefined;
    if (part.startsWith('{')) {
      if (value === '') return undefined;
      values[part.slice(1, -1)] = value;
    } else if (part !== value) return undefined;
  }
  return values;
};

/** The route of a method and path; undefined for an unknown one. A route with fewer braces wins. */
export const findRoute = (routes: readonly Route[], method: string, path: string): Match | undefined => {
  const segments = path.split('/');
  const matches = routes.flatMap((route) => {
    const [verb, pattern = ''] = route.route.split(' ');
    const values = verb === method ? bracesOf(pattern, segments) : undefined;
    return values === undefined ? [] : [{ route, path: values }];
  });
  return matches.sort((a, b) => Object.keys(a.path).length - Object.keys(b.path).length)[0];
};

/** An unknown path is never answered with something plausible. */
export const noRoute = (method: string, path: string): Refused =>
  new Refused(404, `No such operation: ${method} ${path}`);
