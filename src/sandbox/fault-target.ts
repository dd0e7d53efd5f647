import { allOperations } from '../api/operations.ts';
import { lazy } from '../lazy.ts';
import { UsageError } from '../outcome.ts';
import { findNearestWord } from './dialect.ts';

/** Which operation a fault is for: by its route, by a request of it, or by the command's name. */

const OAUTH = ['POST /oauth/token', 'GET /oauth/authorize', 'POST /oauth/authorize'];

const routes = lazy((): readonly string[] => [...allOperations().map(({ route }) => route), ...OAUTH]);

/** The nouns that commands are also called by. */
const ALIASES: Readonly<Record<string, string>> = { 'project-viewers': 'viewers', tracker: 'time-tracking' };

const isBrace = (segment: string): boolean => segment.startsWith('{');

/** Whether a request, or a route whose braces are named otherwise, is one of the route. */
const isOf = (route: string, method: string, path: string): boolean => {
  const [verb, pattern = ''] = route.split(' ');
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const fits = (segment: string, index: number) => {
    const other = given[index] ?? '';
    return segment === other || (isBrace(segment) && other !== '');
  };
  return verb === method && wanted.length === given.length && wanted.every(fits);
};

const braces = (route: string): number => route.split('{').length;

/** A literal path wins: `GET /leaves/policies` is no leave. */
const byRoute = (method: string, path: string): string | undefined =>
  routes()
    .filter((route) => isOf(route, method, path))
    .sort((a, b) => braces(a) - braces(b))[0];

const byCommand = (words: string): string | undefined => {
  const [noun = '', verb = ''] = words.toLowerCase().split(/[\s.]+/);
  const id = `${ALIASES[noun] ?? noun}.${verb}`;
  return allOperations().find((operation) => operation.id === id)?.route;
};

const commands = lazy((): readonly string[] => allOperations().map(({ id }) => id.replace('.', ' ')));

/** The names in braces say nothing. */
const bare = (route: string): string => route.replace(/\{\w*\}/g, '{}');

/** One with the same method, where there is one. */
const meantRoute = (method: string, path: string): string | undefined => {
  const same = routes().filter((route) => route.startsWith(`${method} `));
  const near = [same, routes()].map((some) => findNearestWord(bare(`${method} ${path}`), some.map(bare)));
  return routes().find((route) => bare(route) === (near[0] ?? near[1]));
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
  const found = target === '' ? byCommand(words) : byRoute(method.toUpperCase(), path);
  if (found !== undefined) return found;
  const meant =
    target === ''
      ? findNearestWord(words.replace('.', ' '), commands())
      : meantRoute(method.toUpperCase(), path);
  throw new UsageError(`unknown operation: ${text}`, {
    code: 'unknown_operation',
    hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}Name a command (timesheets approve) or a route of: ttctl sandbox coverage -o ids`,
  });
};
