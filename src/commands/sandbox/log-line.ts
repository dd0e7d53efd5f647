import type { Operation, Parameter } from '../../api/operation.ts';
import type { Row } from '../../api/page.ts';
import { DEFAULT_PER_PAGE } from '../../api/pages.ts';
import { type Command, listCommands, type Program } from '../../cli/command.ts';
import { formatLongFlag } from '../../cli/flag.ts';
import { stringifyJson } from '../../json/stringify.ts';
import { quoteShellWord } from '../../parsing/shell-word.ts';
import { toKebabCase } from '../convert.ts';

/** The command line that sends a request: for `sandbox log`. */

interface Leaf {
  readonly command: Command;
  readonly operation: Operation;
}

/** The commands by the routes of their operations. */
export const mapCommandsByRoute = (program: Program): ReadonlyMap<string, Leaf> =>
  new Map(
    listCommands(program).flatMap((command) => {
      const { operation } = command;
      return operation === undefined ? [] : [[operation.route, { command, operation }] as const];
    }),
  );

const flag = (long: string, value: string): string[] =>
  value.startsWith('-') ? [quoteShellWord(`${long}=${value}`)] : [long, quoteShellWord(value)];

const plain = (value: unknown): string => (typeof value === 'string' ? value : stringifyJson(value));

const valuesOf = (value: unknown, { choices, words, type }: Parameter): readonly string[] => {
  if (Array.isArray(value)) return value.map(plain);
  if (type.endsWith('[]')) return [plain(value)];
  if (choices !== undefined) return [toKebabCase(plain(value))];
  const named = Object.entries(words ?? {}).find(([, number]) => String(number) === plain(value));
  return [named?.[0] ?? plain(value)];
};

/** `--status submitted`; undefined where the flag cannot say this value. */
const flagFor = (long: string, parameter: Parameter, value: unknown): readonly string[] | undefined => {
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  if (parameter.on !== undefined) return String(value) === String(parameter.on) ? [long] : undefined;
  if (parameter.type === 'boolean') return value === true || value === 'true' ? [long] : undefined;
  return valuesOf(value, parameter).flatMap((text) => flag(long, text));
};

/** Braces of the route → what stands there in the path. */
const bracesOf = (route: string, path: string): readonly string[] => {
  const [given, pattern] = [path.split('/'), (route.split(' ')[1] ?? '').split('/')];
  return pattern.flatMap((part, index) =>
    part.startsWith('{') ? [decodeURIComponent(given[index] ?? '')] : [],
  );
};

const raw = (method: string, name: string, value: unknown): readonly string[] => {
  if (method === 'GET') return ['--param', quoteShellWord(`${name}=${plain(value)}`)];
  return [
    '--field',
    quoteShellWord(typeof value === 'string' ? `${name}=${value}` : `${name}:=${stringifyJson(value)}`),
  ];
};

const isPaging = (name: string): boolean => name === 'page' || name === 'per_page';

/** What a list says of its pages. The first one is asked for by itself; a short first one is a limit. */
const paging = (pairs: readonly Pair[]): readonly string[] => {
  const { page = '1', per_page: size = String(DEFAULT_PER_PAGE) } = Object.fromEntries(pairs);
  const usual = String(size) === String(DEFAULT_PER_PAGE);
  if (String(page) === '1') return usual ? [] : ['--limit', plain(size)];
  return ['--page', plain(page), ...(usual ? [] : ['--per-page', plain(size)])];
};

type Pair = readonly [name: string, value: unknown];

const entriesOf = (value: unknown): Pair[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        Array.isArray(inner) ? inner.map((each): Pair => [name, each]) : [[name, inner] as const],
      )
    : [];

const pairsOf = (row: Row): readonly Pair[] => {
  const { query, body } = row;
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const names = new Set(fields.map(([name]) => name));
  const asked = entriesOf(query);
  return [...asked.filter(([name]) => !names.has(name)), ...fields];
};

/** A value of the request as the command takes it. */
const said = ({ command, operation }: Leaf, [name, value]: Pair): readonly string[] => {
  if (command.positionals.some(({ binding }) => binding?.name === name))
    return [quoteShellWord(plain(value))];
  const found = command.flags.find(({ binding }) => binding?.name === name);
  const flagged = found?.binding && flagFor(formatLongFlag(found), found.binding.parameter, value);
  return flagged ?? raw(operation.method, name, value);
};

/** Any call at all, in the words of `ttctl api`. */
const anyCall = (row: Row): readonly string[] => {
  const method = plain(row.method);
  const asked = entriesOf(row.query).flatMap(([name, value]) => [
    '--param',
    quoteShellWord(`${name}=${plain(value)}`),
  ]);
  const fields = typeof row.body === 'object' && row.body !== null ? Object.entries(row.body) : [];
  const sent = fields.flatMap(([name, value]) => raw(method, name, value));
  return ['ttctl', 'api', method, quoteShellWord(plain(row.path)), ...asked, ...sent];
};

/**
 * `ttctl timesheets approve 8c1f… --workspace 102`; null for what no command sends (signing in).
 * @param home the workspace that needs no `--workspace`
 */
export const formatLogCommand = (
  commands: ReadonlyMap<string, Leaf>,
  row: Row,
  home: number | undefined,
): string | null => {
  if (plain(row.path).startsWith('/oauth/')) return null;
  const leaf = commands.get(plain(row.route));
  if (leaf === undefined) return anyCall(row).join(' ');
  const [target, second] = bracesOf(leaf.operation.route, plain(row.path));
  const pairs = pairsOf(row);
  const paged = leaf.operation.paging !== 'none';
  const workspace = pairs.find(([name]) => name === 'workspace_id')?.[1];
  const elsewhere = workspace !== undefined && String(workspace) !== String(home);
  return [
    'ttctl',
    leaf.command.path,
    ...(target === undefined ? [] : [quoteShellWord(target)]),
    ...(second === undefined ? [] : flag('--member', second)),
    ...pairs
      .filter(([name]) => name !== 'workspace_id' && !(paged && isPaging(name)))
      .flatMap((pair) => said(leaf, pair)),
    ...(paged ? paging(pairs) : []),
    ...(elsewhere ? flag('--workspace', plain(workspace)) : []),
  ].join(' ');
};
