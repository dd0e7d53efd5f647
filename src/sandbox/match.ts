import type { Route } from './call.ts';
import { Refusal } from './refusal.ts';

export interface RouteMatch {
  readonly route: Route;
  /** The values of the route's braces, decoded. */
  readonly path: Readonly<Record<string, string>>;
}

/** A route whose pattern is taken apart once, not at every request. */
interface Pattern {
  readonly route: Route;
  /** Segments of the path: the text that must stand there, or the name of a brace. */
  readonly parts: readonly { readonly text?: string; readonly brace?: string }[];
}

const patternOf = (route: Route): Pattern & { readonly key: string } => {
  const [method = '', path = ''] = route.route.split(' ');
  const parts = path
    .split('/')
    .map((part) => (part.startsWith('{') ? { brace: part.slice(1, -1) } : { text: part }));
  return { route, parts, key: keyOf(method, parts.length) };
};

const keyOf = (method: string, segments: number): string => `${method} ${segments}`;

const bracesIn = ({ parts }: Pattern): number => parts.filter(({ brace }) => brace !== undefined).length;

/** Undefined for what is no encoding of anything. */
const decoded = (segment: string): string | undefined => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

const valuesOf = ({ parts }: Pattern, segments: readonly string[]): RouteMatch['path'] | undefined => {
  const values: Record<string, string> = {};
  for (const [index, { text, brace }] of parts.entries()) {
    const value = segments[index];
    if (brace === undefined ? value !== text : value === '') return undefined;
    if (brace !== undefined) values[brace] = value ?? '';
  }
  return values;
};

export type FindRoute = (method: string, path: string) => RouteMatch | undefined;

/** Finds the route of a method and path; undefined for an unknown one. A route with fewer braces wins. */
export const createRouteFinder = (routes: readonly Route[]): FindRoute => {
  const patterns = new Map<string, Pattern[]>();
  for (const pattern of routes.map(patternOf)) {
    patterns.set(pattern.key, [...(patterns.get(pattern.key) ?? []), pattern]);
  }
  for (const alike of patterns.values()) alike.sort((a, b) => bracesIn(a) - bracesIn(b));
  return (method, path) => {
    const raw = path.split('/');
    const alike = patterns.get(keyOf(method, raw.length));
    const segments = raw.map(decoded);
    if (alike === undefined || !segments.every((segment) => segment !== undefined)) return undefined;
    for (const pattern of alike) {
      const values = valuesOf(pattern, segments);
      if (values !== undefined) return { route: pattern.route, path: values };
    }
    return undefined;
  };
};

/** An unknown path is never answered with something plausible. */
export const createNoRouteRefusal = (method: string, path: string): Refusal =>
  new Refusal(404, `No such operation: ${method} ${path}`);
