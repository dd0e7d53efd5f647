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

const parsePattern = (route: Route): Pattern & { readonly key: string } => {
  const [method = '', path = ''] = route.route.split(' ');
  const parts = path
    .split('/')
    .map((part) => (part.startsWith('{') ? { brace: part.slice(1, -1) } : { text: part }));
  return { route, parts, key: getKey(method, parts.length) };
};

const getKey = (method: string, segments: number): string => `${method} ${segments}`;

const countBraces = ({ parts }: Pattern): number => parts.filter(({ brace }) => brace !== undefined).length;

/** Undefined for what is no encoding of anything. */
const decodeSegment = (segment: string): string | undefined => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

const matchSegments = ({ parts }: Pattern, segments: readonly string[]): RouteMatch['path'] | undefined => {
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
  for (const pattern of routes.map(parsePattern)) {
    patterns.set(pattern.key, [...(patterns.get(pattern.key) ?? []), pattern]);
  }
  for (const candidates of patterns.values()) candidates.sort((a, b) => countBraces(a) - countBraces(b));
  return (method, path) => {
    const rawSegments = path.split('/');
    const candidates = patterns.get(getKey(method, rawSegments.length));
    const segments = rawSegments.map(decodeSegment);
    if (candidates === undefined || !segments.every((segment) => segment !== undefined)) return undefined;
    for (const pattern of candidates) {
      const values = matchSegments(pattern, segments);
      if (values !== undefined) return { route: pattern.route, path: values };
    }
    return undefined;
  };
};

/** An unknown path is never answered with something plausible. */
export const createNoRouteRefusal = (method: string, path: string): Refusal =>
  new Refusal(404, `No such operation: ${method} ${path}`);
