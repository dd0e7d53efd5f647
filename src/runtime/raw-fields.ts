import { type Operation, resolveLocation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Invocation } from '../cli/invocation.ts';
import { listGivenValues } from '../commands/values.ts';
import type { RawParameters } from '../context.ts';
import { UsageError } from '../errors.ts';
import { isNumber, isRecord, parseJson } from '../json.ts';
import { commandLine } from '../parsing/shell-word.ts';

/** The raw fields of a command line, as they are written (`--field`), and as `gh api` writes them. */

type RawField = readonly [name: string, value: unknown];

const splitPair = (flag: string, text: string, separator: string): [string, string] => {
  const at = text.indexOf(separator);
  if (at < 1) throw new UsageError(`${flag}: "${text}" is not name${separator}value`);
  return [text.slice(0, at), text.slice(at + separator.length)];
};

/** Characters of a value that an error quotes. */
const MAX_QUOTED = 80;

const truncate = (value: string): string =>
  value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value;

/** `name=text`, or `name:=json`. */
const parseField = (text: string): RawField => {
  const json = text.indexOf(':=');
  if (json < 1 || text.indexOf('=') < json) return splitPair('--field', text, '=');
  const [name, value] = splitPair('--field', text, ':=');
  const parsed = parseJson(value, { strict: true });
  if ('value' in parsed) return [name, parsed.value];
  const { line, column, what } = parsed.problem;
  throw new UsageError(`--field ${name}: "${truncate(value)}" cannot be read as JSON`, {
    reason: `${line === 1 ? '' : `line ${line}, `}column ${column}: ${what}`,
    ...(value.length > MAX_QUOTED
      ? {}
      : { hint: `For text, use ${commandLine`--field ${`${name}=${value}`}`}` }),
  });
};

const WORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Numbers keep their digits; what only looks like one (`007`) is text. */
const toTypedValue = (text: string): unknown => {
  if (WORDS.has(text)) return WORDS.get(text);
  const parsed = /^-?\d\S*$/.test(text) ? parseJson(text) : undefined;
  return parsed !== undefined && 'value' in parsed && isNumber(parsed.value) ? parsed.value : text;
};

const toTexts = (raw: unknown): readonly string[] => (Array.isArray(raw) ? raw.map(String) : []);

/** `@file` is the text of that file. */
const readTypedValue = async (text: string, read: (file: string) => Promise<string>): Promise<unknown> =>
  text.startsWith('@') ? read(text.slice(1)) : toTypedValue(text);

/** @throws UsageError for a name that stands for a value within another, and for one that is given twice */
const collectFields = (pairs: readonly RawField[]): Row => {
  const fields = new Map<string, unknown>();
  for (const [name, value] of pairs) {
    if (/[[\]]/.test(name))
      throw new UsageError(`"${name}" cannot be the name of a field`, {
        hint: `For nested JSON, use ${name.replace(/\[.*/s, '')}:=json or --input; in a query, write it in the path.`,
      });
    if (fields.has(name)) throw new UsageError(`the field ${name} was given more than once`);
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
};

/**
 * @param options of the command line: `--param`, `--field`, `--typed-field`
 * @param read the text of a file, or of stdin for `-`
 * @throws UsageError for what cannot be read, and for a field that is given twice
 */
export const readRawFields = async (
  options: Readonly<Record<string, unknown>>,
  read: (file: string) => Promise<string>,
): Promise<Pick<RawParameters, 'query' | 'fields'>> => {
  const typed = toTexts(options.typedField);
  const stdins = [...typed.map((text) => text.slice(text.indexOf('=') + 1)), `@${String(options.input)}`];
  if (stdins.filter((text) => text === '@-').length > 1) throw new UsageError('stdin can be read only once');
  const pairs = toTexts(options.field).map(parseField);
  for (const text of typed) {
    const [name, value] = splitPair('--typed-field', text, '=');
    pairs.push([name, await readTypedValue(value, read)]);
  }
  return {
    query: toTexts(options.param).map((text) => splitPair('--param', text, '=')),
    fields: collectFields(pairs),
  };
};

/** Raw values that a flag gives too: sent twice, or one in silence over the other, they mean what nobody asked for. */

/** What a list sends on its own, and the flag that says it. */
const PAGING: Readonly<Record<Operation['paging'], readonly string[]>> = {
  none: [],
  page: ['page'],
  pages: ['page', 'per_page'],
};

/** The flag behind each query parameter that this line sends without `--param`. */
const mapSentByFlags = (invocation: Invocation, operation: Operation): ReadonlyMap<string, string> => {
  const paging = PAGING[operation.paging].map((name): [string, string] => [
    name,
    `--${name.replace('_', '-')}`,
  ]);
  const flags = listGivenValues(invocation)
    .filter(({ binding: { parameter } }) => resolveLocation(operation, parameter) !== 'body')
    .map(({ binding, where }): [string, string] => [binding.name, where]);
  const days =
    invocation.options.period === undefined
      ? []
      : ['date_from', 'date_to'].map((name): [string, string] => [name, '--period']);
  return new Map([...paging, ...flags, ...days]);
};

const createClashError = (raw: string, flag: string): UsageError =>
  new UsageError(`${raw} is already set by ${flag}`, { hint: `Omit ${raw}, and use ${flag} instead.` });

/**
 * The raw values without the `workspace_id` of an `--input` that `--workspace` lies over.
 * @param hasWorkspaceFlag whether `--workspace` is given
 * @throws UsageError for what a flag of this line gives too
 */
export const resolveRawClashes = (
  invocation: Invocation,
  raws: RawParameters,
  hasWorkspaceFlag: boolean,
): RawParameters => {
  const { operation } = invocation.command;
  if (operation === undefined) return raws;
  const flags = new Map(mapSentByFlags(invocation, operation));
  if (hasWorkspaceFlag && operation.workspace !== 'none') flags.set('workspace_id', '--workspace');
  for (const [name] of raws.query) {
    const flag = flags.get(name);
    if (flag !== undefined) throw createClashError(`--param ${name}`, flag);
  }
  if (!flags.has('workspace_id')) return raws;
  if (Object.hasOwn(raws.fields, 'workspace_id'))
    throw createClashError('--field workspace_id', '--workspace');
  const { input } = raws;
  if (!isRecord(input)) return raws;
  const { workspace_id: _laidOver, ...rest } = input;
  return { ...raws, input: rest };
};
