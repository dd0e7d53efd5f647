import { allOperations } from '../api/operations.ts';
import { lazy } from '../lazy.ts';
import { UsageError } from '../outcome.ts';
import { findNearestWord } from './dialect.ts';

/** Which operation a fault is for: by its route, by a request of it, or by the command's name. */

const OAUTH_ROUTES = ['POST /oauth/token', 'GET /oauth/authorize', 'POST /oauth/authorize'];

const listRoutes = lazy((): readonly string[] => [
  ...allOperations().map(({ route }) => route),
  ...OAUTH_ROUTES,
]);

/** The nouns that commands are also called by. */
const ALIASES: Readonly<Record<string, string>> = { 'project-viewers': 'viewers', tracker: 'time-tracking' };

const isBrace = (segment: string): boolean => segment.startsWith('{');

/** Whether a request, or a route whose braces are named otherwise, is one of the route. */
const matchesRoute = (route: string, method: string, path: string): boolean => {
  const [verb, pattern = ''] = route.split(' ');
  const [patternSegments, segments] = [pattern.split('/'), path.split('/')];
  const matchesSegment = (segment: string, index: number) => {
    const value = segments[index] ?? '';
    return segment === value || (isBrace(segment) && value !== '');
  };
  return (
    verb === method && patternSegments.length === segments.length && patternSegments.every(matchesSegment)
  );
};

const countBraces = (route: string): number => route.split('{').length;

/** A literal path wins: `GET /leaves/policies` is no leave. */
const findByRoute = (method: string, path: string): string | undefined =>
  listRoutes()
    .filter((route) => matchesRoute(route, method, path))
    .sort((a, b) => countBraces(a) - countBraces(b))[0];

const findByCommand = (words: string): string | undefined => {
  const [noun = '', verb = ''] = words.toLowerCase().split(/[\s.]+/);
  const id = `${ALIASES[noun] ?? noun}.${verb}`;
  return allOperations().find((operation) => operation.id === id)?.route;
};

const listCommands = lazy((): readonly string[] => allOperations().map(({ id }) => id.replace('.', ' ')));

/** The names in braces say nothing. */
const removeBraceNames = (route: string): string => route.replace(/\{\w*\}/g, '{}');

/** One with the same method, where there is one. */
const findSimilarRoute = (method: string, path: string): string | undefined => {
  const sameMethod = listRoutes().filter((route) => route.startsWith(`${method} `));
  const nearest = [sameMethod, listRoutes()].map((candidates) =>
    findNearestWord(removeBraceNames(`${method} ${path}`), candidates.map(removeBraceNames)),
  );
  return listRoutes().find((route) => removeBraceNames(route) === (nearest[0] ?? nearest[1]));
};

/**
 * `PUT /timesheets/{timesheetId}/approve`, `PUT /timesheets/17/approve`, `timesheets approve`, `POST /oauth/token`.
 * @throws UsageError for an operation that there is not, with a suggestion
 */
export const parseFaultRoute = (text: string): string => {
  const words = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^ttctl /, '');
  const [, method = '', target = ''] = /^(get|post|put|patch|delete) (\/\S*)$/i.exec(words) ?? [];
  const path = (target.split('?')[0] ?? '').replace(/^\/api\/v2(?=\/)/, '');
  const route = target === '' ? findByCommand(words) : findByRoute(method.toUpperCase(), path);
  if (route !== undefined) return route;
  const suggestion =
    target === ''
      ? findNearestWord(words.replace('.', ' '), listCommands())
      : findSimilarRoute(method.toUpperCase(), path);
  throw new UsageError(`unknown operation: ${text}`, {
    code: 'unknown_operation',
    hint: `${suggestion === undefined ? '' : `Did you mean ${suggestion}? `}Name a command (timesheets approve) or a route (PUT /timesheets/{timesheetId}/approve).`,
  });
};
