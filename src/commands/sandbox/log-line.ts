import type { Operation, Parameter } from '../../api/operation.ts';
import type { Row } from '../../api/page.ts';
import { DEFAULT_PER_PAGE } from '../../api/pages.ts';
import { type Command, listCommands, type Program } from '../../cli/command.ts';
import { formatLongFlag } from '../../cli/flag.ts';
import { stringifyJson } from '../../json/stringify.ts';
import { quoteShellWord } from '../../parsing/shell-word.ts';
import { toKebabCase } from '../convert.ts';

/** The command line that sends a request: for `sandbox log`. */

interface RoutedCommand {
  readonly command: Command;
  readonly operation: Operation;
}

/** The commands by the routes of their operations. */
export const mapCommandsByRoute = (program: Program): ReadonlyMap<string, RoutedCommand> =>
  new Map(
    listCommands(program).flatMap((command) => {
      const { operation } = command;
      return operation === undefined ? [] : [[operation.route, { command, operation }] as const];
    }),
  );

const formatFlag = (long: string, value: string): string[] =>
  value.startsWith('-') ? [quoteShellWord(`${long}=${value}`)] : [long, quoteShellWord(value)];

const toPlainText = (value: unknown): string => (typeof value === 'string' ? value : stringifyJson(value));

const formatValues = (value: unknown, { choices, words, type }: Parameter): readonly string[] => {
  if (Array.isArray(value)) return value.map(toPlainText);
  if (type.endsWith('[]')) return [toPlainText(value)];
  if (choices !== undefined) return [toKebabCase(toPlainText(value))];
  const word = Object.entries(words ?? {}).find(([, number]) => String(number) === toPlainText(value));
  return [word?.[0] ?? toPlainText(value)];
};

/** `--status submitted`; undefined where the flag cannot say this value. */
const formatParameter = (
  long: string,
  parameter: Parameter,
  value: unknown,
): readonly string[] | undefined => {
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  if (parameter.on !== undefined) return String(value) === String(parameter.on) ? [long] : undefined;
  if (parameter.type === 'boolean') return value === true || value === 'true' ? [long] : undefined;
  return formatValues(value, parameter).flatMap((text) => formatFlag(long, text));
};

/** Braces of the route → what stands there in the path. */
const listPathParameters = (route: string, path: string): readonly string[] => {
  const [segments, pattern] = [path.split('/'), (route.split(' ')[1] ?? '').split('/')];
  return pattern.flatMap((part, index) =>
    part.startsWith('{') ? [decodeURIComponent(segments[index] ?? '')] : [],
  );
};

const formatRawFlag = (method: string, name: string, value: unknown): readonly string[] => {
  if (method === 'GET') return ['--param', quoteShellWord(`${name}=${toPlainText(value)}`)];
  return [
    '--field',
    quoteShellWord(typeof value === 'string' ? `${name}=${value}` : `${name}:=${stringifyJson(value)}`),
  ];
};

const isPaging = (name: string): boolean => name === 'page' || name === 'per_page';

/** What a list says of its pages. The first one is asked for by itself; a short first one is a limit. */
const formatPaging = (pairs: readonly Pair[]): readonly string[] => {
  const { page = '1', per_page: size = String(DEFAULT_PER_PAGE) } = Object.fromEntries(pairs);
  const isDefaultSize = String(size) === String(DEFAULT_PER_PAGE);
  if (String(page) === '1') return isDefaultSize ? [] : ['--limit', toPlainText(size)];
  return ['--page', toPlainText(page), ...(isDefaultSize ? [] : ['--per-page', toPlainText(size)])];
};

type Pair = readonly [name: string, value: unknown];

const listEntries = (value: unknown): Pair[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        Array.isArray(inner) ? inner.map((item): Pair => [name, item]) : [[name, inner] as const],
      )
    : [];

const listPairs = (row: Row): readonly Pair[] => {
  const { query, body } = row;
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const names = new Set(fields.map(([name]) => name));
  const queryPairs = listEntries(query);
  return [...queryPairs.filter(([name]) => !names.has(name)), ...fields];
};

/** A value of the request as the command takes it. */
const formatPair = ({ command, operation }: RoutedCommand, [name, value]: Pair): readonly string[] => {
  if (command.positionals.some(({ binding }) => binding?.name === name))
    return [quoteShellWord(toPlainText(value))];
  const found = command.flags.find(({ binding }) => binding?.name === name);
  const flagText = found?.binding && formatParameter(formatLongFlag(found), found.binding.parameter, value);
  return flagText ?? formatRawFlag(operation.method, name, value);
};

/** Any call at all, in the words of `ttctl api`. */
const formatApiCall = (row: Row): readonly string[] => {
  const method = toPlainText(row.method);
  const queryFlags = listEntries(row.query).flatMap(([name, value]) => [
    '--param',
    quoteShellWord(`${name}=${toPlainText(value)}`),
  ]);
  const fields = typeof row.body === 'object' && row.body !== null ? Object.entries(row.body) : [];
  const fieldFlags = fields.flatMap(([name, value]) => formatRawFlag(method, name, value));
  return ['ttctl', 'api', method, quoteShellWord(toPlainText(row.path)), ...queryFlags, ...fieldFlags];
};

/**
 * `ttctl timesheets approve 8c1f… --workspace 102`; null for what no command sends (signing in).
 * @param homeWorkspaceId the workspace that needs no `--workspace`
 */
export const formatLogCommand = (
  commands: ReadonlyMap<string, RoutedCommand>,
  row: Row,
  homeWorkspaceId: number | undefined,
): string | null => {
  if (toPlainText(row.path).startsWith('/oauth/')) return null;
  const routed = commands.get(toPlainText(row.route));
  if (routed === undefined) return formatApiCall(row).join(' ');
  const [target, second] = listPathParameters(routed.operation.route, toPlainText(row.path));
  const pairs = listPairs(row);
  const paged = routed.operation.paging !== 'none';
  const workspace = pairs.find(([name]) => name === 'workspace_id')?.[1];
  const isOtherWorkspace = workspace !== undefined && String(workspace) !== String(homeWorkspaceId);
  return [
    'ttctl',
    routed.command.path,
    ...(target === undefined ? [] : [quoteShellWord(target)]),
    ...(second === undefined ? [] : formatFlag('--member', second)),
    ...pairs
      .filter(([name]) => name !== 'workspace_id' && !(paged && isPaging(name)))
      .flatMap((pair) => formatPair(routed, pair)),
    ...(paged ? formatPaging(pairs) : []),
    ...(isOtherWorkspace ? formatFlag('--workspace', toPlainText(workspace)) : []),
  ].join(' ');
};
