import { type Operation, resolveLocation } from '../../api/operation.ts';
import type { Row } from '../../api/page.ts';
import type { Invocation } from '../../cli/flag.ts';
import { listGivenValues, type RawParameters } from '../../commands/values.ts';
import { UsageError } from '../../errors.ts';
import { isNumber, isRecord, parseJson } from '../../json.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import type { Machine } from '../../platform/machine.ts';
import { nameInput, readText } from './files.ts';

/** The raw values of a command line: `--param`, `--field`, `--input`, and as `gh api` writes them. */

/**
 * @param hasWorkspaceFlag whether `--workspace` is given: it lies over the `workspace_id` of an `--input`
 * @throws UsageError for what cannot be read, and for what a flag gives too
 */
export async function readRawParameters(
  invocation: Invocation,
  hasWorkspaceFlag: boolean,
  machine: Machine,
): Promise<RawParameters> {
  const { param, field, typedField, input: file } = invocation.options;
  const read = (name: string): Promise<string> => readText(machine, name);
  // `--no-input` is a flag of every command, and no text.
  const inputFile = typeof file === 'string' ? file : undefined;
  const typed = toTexts(typedField);
  const typedValues = typed.map((text) => text.slice(text.indexOf('=') + 1));
  const stdins = [...typedValues, `@${inputFile}`].filter((text) => text === '@-');
  if (stdins.length > 1) throw new UsageError('stdin can be read only once');
  const pairs = toTexts(field).map(parseField);
  for (const text of typed) {
    const [name, value] = splitPair('--typed-field', text, '=');
    pairs.push([name, value.startsWith('@') ? await read(value.slice(1)) : toTypedValue(value)]);
  }
  const raws = {
    query: toTexts(param).map((text) => splitPair('--param', text, '=')),
    fields: collectFields(pairs),
    input: inputFile === undefined ? undefined : parseInput(inputFile, await read(inputFile)),
  };
  return resolveRawClashes(invocation, raws, hasWorkspaceFlag);
}

type RawField = readonly [name: string, value: unknown];

function toTexts(raw: unknown): readonly string[] {
  return Array.isArray(raw) ? raw.map(String) : [];
}

function splitPair(flag: string, text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  if (at < 1) throw new UsageError(`${flag}: "${text}" is not name${separator}value`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

/** Characters of a value that an error quotes. */
const MAX_QUOTED = 80;

/** `name=text`, or `name:=json`. */
function parseField(text: string): RawField {
  const json = text.indexOf(':=');
  if (json < 1 || text.indexOf('=') < json) return splitPair('--field', text, '=');
  const [name, value] = splitPair('--field', text, ':=');
  const parsed = parseJson(value, { strict: true });
  if ('value' in parsed) return [name, parsed.value];
  const { line, column, what } = parsed.problem;
  const isLong = value.length > MAX_QUOTED;
  const quoted = isLong ? `${value.slice(0, MAX_QUOTED)}…` : value;
  throw new UsageError(`--field ${name}: "${quoted}" cannot be read as JSON`, {
    reason: `${line === 1 ? '' : `line ${line}, `}column ${column}: ${what}`,
    ...(isLong ? {} : { hint: `For text, use ${commandLine`--field ${`${name}=${value}`}`}` }),
  });
}

const WORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** What only looks like a number (`007`) is text. */
function toTypedValue(text: string): unknown {
  if (WORDS.has(text)) return WORDS.get(text);
  const parsed = /^-?\d\S*$/.test(text) ? parseJson(text) : undefined;
  return parsed !== undefined && 'value' in parsed && isNumber(parsed.value) ? parsed.value : text;
}

/** @throws UsageError for a name that stands for a value within another, and for one that is given twice */
function collectFields(pairs: readonly RawField[]): Row {
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
}

function parseInput(file: string, text: string): unknown {
  const parsed = parseJson(text, { strict: true });
  if ('value' in parsed) return parsed.value;
  const { line, column, what } = parsed.problem;
  throw new UsageError(`${nameInput(file)} cannot be read as JSON`, {
    reason: `line ${line}, column ${column}: ${what}`,
  });
}

/** What a list sends on its own, and the flag that says it. */
const PAGING: Readonly<Record<Operation['paging'], readonly string[]>> = {
  none: [],
  page: ['page'],
  pages: ['page', 'per_page'],
};

/**
 * Raw values that a flag gives too: sent twice, or one in silence over the other, they mean what nobody asked for.
 * @returns the raw values without the `workspace_id` of an input that `--workspace` lies over
 * @throws UsageError for what a flag of this line gives too
 */
function resolveRawClashes(
  invocation: Invocation,
  raws: RawParameters,
  hasWorkspaceFlag: boolean,
): RawParameters {
  const { operation } = invocation.command;
  if (operation === undefined) return raws;
  const flags = mapSentByFlags(invocation, operation);
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
}

/** The flag behind each query parameter that this line sends without `--param`. */
function mapSentByFlags(invocation: Invocation, operation: Operation): Map<string, string> {
  const flags = new Map(PAGING[operation.paging].map((name) => [name, `--${name.replace('_', '-')}`]));
  for (const { binding, where } of listGivenValues(invocation))
    if (resolveLocation(operation, binding.parameter) !== 'body') flags.set(binding.name, where);
  if (invocation.options.period !== undefined)
    for (const name of ['date_from', 'date_to']) flags.set(name, '--period');
  return flags;
}

function createClashError(raw: string, flag: string): UsageError {
  return new UsageError(`${raw} is already set by ${flag}`, {
    hint: `Omit ${raw}, and use ${flag} instead.`,
  });
}
