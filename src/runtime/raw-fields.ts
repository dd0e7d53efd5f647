import type { RawField, RawParameters } from '../context.ts';
import { isNumber, isRecord } from '../json/number.ts';
import { parseJson } from '../json/parse.ts';
import { UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';

/** The raw fields of a command line, as they are written (`--field`), and as `gh api` writes them. */

const splitPair = (flag: string, text: string, separator: string): [string, string] => {
  const at = text.indexOf(separator);
  if (at < 1) throw new UsageError(`${flag}: "${text}" is not name${separator}value`);
  return [text.slice(0, at), text.slice(at + separator.length)];
};

/** What `events[]` without a value begins. */
const EMPTY_LIST: unknown = Object.freeze([]);

const splitField = (flag: string, text: string): RawField =>
  /^[^=]+\[\]$/.test(text) ? [text, EMPTY_LIST] : splitPair(flag, text, '=');

/** Characters of a value that an error quotes. */
const MAX_QUOTED = 80;

const truncate = (value: string): string =>
  value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value;

/** `name=text`, or `name:=json`. */
const parseField = (text: string): RawField => {
  const json = text.indexOf(':=');
  if (json < 1 || text.indexOf('=') < json) return splitField('--field', text);
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

/** The names in `a[b][]`, an empty one for an item of a list. @throws UsageError for brackets that are not closed */
const parseKey = (name: string): readonly string[] => {
  const [, first = '', rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
  if (first === '')
    throw new UsageError(`"${name}" cannot be the name of a field`, {
      hint: 'Use name, name[inner] or name[].',
    });
  return [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, inner = '']) => inner)];
};

/** The value with another one put into it. @throws UsageError where that would replace one */
const put = (node: unknown, [key, ...rest]: readonly string[], value: unknown, name: string): unknown => {
  const isTaken =
    node !== undefined && (key === undefined || (key === '' ? !Array.isArray(node) : !isRecord(node)));
  if (isTaken)
    throw new UsageError(`the field ${name} was given more than once`, {
      hint: `For a list, use ${name}[]=value.`,
    });
  if (key === undefined) return value;
  if (key !== '') {
    const fields = isRecord(node) ? node : {};
    return { ...fields, [key]: put(Object.hasOwn(fields, key) ? fields[key] : undefined, rest, value, name) };
  }
  const items: readonly unknown[] = Array.isArray(node) ? node : [];
  if (value === EMPTY_LIST) return items;
  const last = items.at(-1);
  // `a[][x]=1 a[][y]=2` is one item, until a name comes again.
  const goesOn = rest[0] !== undefined && isRecord(last) && !Object.hasOwn(last, rest[0]);
  return goesOn
    ? [...items.slice(0, -1), put(last, rest, value, name)]
    : [...items, put(undefined, rest, value, name)];
};

const toTexts = (raw: unknown): readonly string[] => (Array.isArray(raw) ? raw.map(String) : []);

/** `@file` is the text of that file. */
const readTypedValue = async (text: string, read: (file: string) => Promise<string>): Promise<unknown> =>
  text.startsWith('@') ? read(text.slice(1)) : toTypedValue(text);

/**
 * @param options of the command line: `--param`, `--field`, `--raw-field`, `--typed-field`
 * @param read the text of a file, or of stdin for `-`
 * @throws UsageError for what cannot be read, and for a field that is given twice
 */
export const readRawFields = async (
  options: Readonly<Record<string, unknown>>,
  read: (file: string) => Promise<string>,
): Promise<Pick<RawParameters, 'query' | 'fields' | 'pairs'>> => {
  const typed = toTexts(options.typedField);
  const stdins = [...typed.map((text) => text.slice(text.indexOf('=') + 1)), `@${String(options.input)}`];
  if (stdins.filter((text) => text === '@-').length > 1) throw new UsageError('stdin can be read only once');
  const pairs = [
    ...toTexts(options.field).map(parseField),
    ...toTexts(options.rawField).map((text) => splitField('--raw-field', text)),
  ];
  for (const text of typed) {
    const [name, value] = splitField('--typed-field', text);
    pairs.push([name, typeof value === 'string' ? await readTypedValue(value, read) : value]);
  }
  let fields: unknown = {};
  for (const [name, value] of pairs) fields = put(fields, parseKey(name), value, name);
  return {
    query: toTexts(options.param).map((text) => splitPair('--param', text, '=')),
    fields: fields as RawParameters['fields'],
    pairs,
  };
};
