import type { NamedKind } from '../api/fields.ts';
import type { Parameter } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Extra } from '../api/plan.ts';
import {
  type Binding,
  type Flag,
  formatLongFlag,
  getOptionKey,
  type Invocation,
  listGiven,
} from '../cli/flag.ts';
import { collectProblems, UsageError } from '../errors.ts';
import type { HttpQuery } from '../http/transport.ts';
import { isRecord, toNumber } from '../json.ts';
import { getToday, parseDateTime, parseDay, parsePeriod } from '../parsing/calendar.ts';
import { checkEmail, checkRecordName } from '../parsing/names.ts';
import { findNearest, quoteText, shortenText } from '../parsing/text.ts';

/** The values of a command's flags, and of cells of a file: all checked by the operation table, then looked up. */

export interface Calendar {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA name, or an offset; asked for only when a value needs it. */
  readonly timeZone: () => string;
  /** Told of a time that the zone has twice. */
  readonly note?: (text: string) => void;
}

/** What was given for a parameter: by a flag, or in a column of a file. */
export interface GivenValue {
  readonly binding: Binding;
  readonly raw: unknown;
  /** How a person calls it: `--role`, `<email>`, `role`. */
  readonly where: string;
}

/** Names that stand for ids: checked now, looked up when all values are known to be right. */
export interface UnresolvedNames {
  readonly kind: NamedKind;
  readonly texts: readonly string[];
  /** The value that the API takes, from what the look-ups found. */
  readonly toValue: (ids: readonly string[]) => unknown;
}

export interface CheckedValue {
  readonly name: string;
  readonly known?: unknown;
  readonly wanted?: UnresolvedNames;
}

/** What `--param`, `--field` and `--input` say. */
export interface RawParameters {
  readonly query: HttpQuery;
  readonly fields: Row;
  readonly input: unknown;
}

interface ResolveOptions {
  readonly calendar: Calendar;
  /** @throws Failure for a name that matches none or several */
  readonly lookUp: (kind: NamedKind, text: string) => Promise<string>;
  /** Gets the parameters that have a value, before the first look-up. @throws UsageError when one is missing */
  readonly requireParameters: (values: Readonly<Record<string, unknown>>) => void;
}

/**
 * The values of a command's flags by the API's names. Checks all of them before the first look-up.
 * @throws UsageError that tells every bad flag, and what is missing
 */
export async function resolveValues(
  invocation: Invocation,
  { calendar, lookUp, requireParameters }: ResolveOptions,
): Promise<Record<string, unknown>> {
  const given = listGivenValues(invocation);
  const provided = Object.fromEntries(given.map(({ binding }) => [binding.name, true]));
  const period = invocation.options.period === undefined ? {} : { date_from: true, date_to: true };
  const problems = [...findFlagProblems(invocation, calendar)];
  collectProblems(problems, () =>
    withExample(invocation, () => requireParameters({ ...period, ...provided })),
  );
  const failure = combineErrors(problems);
  if (failure !== undefined) throw failure;
  const values: Record<string, unknown> = { ...readRange(invocation, calendar) };
  for (const { name, known, wanted } of checkGiven(given, calendar).values) {
    const ids: string[] = [];
    for (const text of wanted?.texts ?? []) ids.push(await lookUp((wanted as UnresolvedNames).kind, text));
    values[name] = wanted === undefined ? known : wanted.toValue(ids);
  }
  return values;
}

/** What the command line gives for parameters. */
export function listGivenValues(invocation: Invocation): readonly GivenValue[] {
  return listGiven(invocation).flatMap(({ source: { binding }, raw, where }) =>
    binding === undefined || raw === undefined ? [] : [{ binding, raw, where }],
  );
}

/** @throws UsageError that tells all that is wrong with the values of a command's flags */
export function checkFlags(invocation: Invocation, calendar: Calendar): void {
  const failure = combineErrors(findFlagProblems(invocation, calendar));
  if (failure !== undefined) throw failure;
}

/**
 * @param problems with what every command takes: together with them all that is wrong with its own flags is told
 * @throws UsageError where there are any, or a flag has none of its words
 */
export function throwProblems(
  invocation: Invocation,
  calendar: Calendar,
  problems: readonly UsageError[],
): void {
  const { command, options } = invocation;
  const own =
    problems.length === 0 ? findChoiceErrors(command.flags, options) : findFlagProblems(invocation, calendar);
  const failure = combineErrors([...problems, ...own]);
  if (failure !== undefined) throw failure;
}

/** One error that tells all of them, each with its way out; the error itself where it is the only one. */
export function combineErrors(problems: readonly UsageError[]): UsageError | undefined {
  const [first, ...others] = problems;
  if (first === undefined || others.length === 0) return first;
  const lines = problems.map(({ message, reason, hint }) =>
    [message, reason, hint].filter((text) => text !== undefined).join('. '),
  );
  const distinctLines = [...new Set(lines)];
  return distinctLines.length === 1 ? first : new UsageError(distinctLines.join('\n'));
}

interface DateValue extends GivenValue {
  readonly value: unknown;
}

/** Checks each by itself and against the others. What is wrong begins with the place where it was given. */
export function checkGiven(
  given: Iterable<GivenValue>,
  calendar: Calendar,
): { readonly values: readonly CheckedValue[]; readonly problems: readonly UsageError[] } {
  const values: CheckedValue[] = [];
  const dateValues = new Map<string, DateValue>();
  const problems: UsageError[] = [];
  const attempt = (where: string, check: () => void) => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      // The profile's zone may be what is wrong, and not the day.
      const problem =
        error.code === 'bad_value' ? error : new UsageError(`${where}: ${error.message}`, error);
      problems.push(problem);
    }
  };
  for (const givenValue of given) {
    attempt(givenValue.where, () => {
      const value = checkValue(givenValue.raw, givenValue.binding, calendar);
      values.push(value);
      // Only days and times come before and after each other.
      if (givenValue.binding.parameter.type.startsWith('date'))
        dateValues.set(value.name, { ...givenValue, value: value.known });
    });
  }
  for (const dateValue of dateValues.values())
    attempt(dateValue.where, () => checkOrder(dateValue, dateValues));
  return { values, problems };
}

/** Values that are none of a flag's words, for flags that no parameter stands behind. */
export function findChoiceErrors(
  flags: readonly Flag[],
  options: Readonly<Record<string, unknown>>,
): readonly UsageError[] {
  return flags.flatMap((flag) => {
    const { choices } = flag;
    const raw = options[getOptionKey(flag)];
    if (choices === undefined || raw === undefined || choices.includes(String(raw))) return [];
    return [createChoiceError(String(raw), choices, `${formatLongFlag(flag)}: `)];
  });
}

/** What raw values add to those of the table; an input that is no object adds nothing. */
export function toExtra({ query, fields, input }: RawParameters): Extra {
  return { query, body: fields, input: typeof input === 'object' && input !== null ? { ...input } : {} };
}

/** @throws UsageError for an `--input` that is no object */
export function requireExtra(raws: RawParameters): Extra {
  if (raws.input !== undefined && !isRecord(raws.input)) throw new UsageError('--input is not a JSON object');
  return toExtra(raws);
}

/** The words that a parameter takes, as people write them; none where it takes others too. */
export function listChoices(parameter: Parameter): readonly string[] {
  return parameter.choices?.map(toKebabCase) ?? Object.keys(parameter.words ?? {});
}

/** `Regular User` → `regular-user`. */
export function toKebabCase(choice: string): string {
  return choice.toLowerCase().replaceAll(' ', '-');
}

export function isListParameter({ type }: Parameter): boolean {
  return type.endsWith('[]');
}

/** @throws UsageError for what is no port of TCP; 0 means any free port */
export function parsePort(where: string, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`${where}: "${text}" is not a port`);
  return port;
}

/** All that is wrong with the values of a command's flags, each by itself and beside the others. */
function findFlagProblems(invocation: Invocation, calendar: Calendar): readonly UsageError[] {
  const problems = [...checkGiven(listGivenValues(invocation), calendar).problems];
  collectProblems(problems, () => checkInput(invocation));
  collectProblems(problems, () => readRange(invocation, calendar));
  return [...problems, ...findChoiceErrors(invocation.command.flags, invocation.options)];
}

/** @throws UsageError for flags about input that do not go together */
function checkInput({ options: { fromFile, input, base } }: Invocation): void {
  if (base !== undefined && fromFile === undefined) throw new UsageError('--base needs --from-file');
  if (fromFile === '-' && input === '-') throw new UsageError('--from-file and --input cannot both be stdin');
  if (base === '-') throw new UsageError('--base cannot be stdin');
}

function readRange({ options }: Invocation, calendar: Calendar): Readonly<Record<string, string>> {
  const { period, dateFrom, dateTo } = options;
  if (period === undefined) return {};
  if (dateFrom !== undefined || dateTo !== undefined) {
    throw new UsageError('--period cannot be used with --date-from or --date-to');
  }
  const range = parsePeriod(String(period), () => getToday(calendar.now, calendar.timeZone()));
  return { date_from: range.from, date_to: range.to };
}

/** Adds the command's first example to an error about a missing value. */
function withExample({ command }: Invocation, check: () => void): void {
  try {
    check();
  } catch (error) {
    const [example] = command.examples;
    const needsExample =
      error instanceof UsageError && error.code === 'missing_value' && error.hint === undefined;
    if (!needsExample || example === undefined) throw error;
    throw new UsageError(error.message, { ...error, hint: `For example: ${example}` });
  }
}

/** A name in it is looked up later: look-ups ask the service, and bad input comes before the first request. */
function checkValue(raw: unknown, { name, parameter, lookup }: Binding, calendar: Calendar): CheckedValue {
  if (parameter.type === 'boolean') return { name, known: raw };
  if (parameter.on !== undefined) return { name, known: parameter.on };
  const isList = isListParameter(parameter);
  const texts = (Array.isArray(raw) ? raw.map(String) : [String(raw)]).flatMap((text) =>
    isList ? text.split(',').filter((part) => part !== '') : [text],
  );
  if (lookup !== undefined) return { name, wanted: parseNames(texts, parameter, lookup) };
  const values = texts.map((text) => parseValue(text, parameter, calendar));
  if (values.length === 0) throw new UsageError('needs a value');
  return { name, known: isList ? values : values[0] };
}

/** @throws UsageError for an end that comes before its begin */
function checkOrder({ binding, value }: DateValue, dateValues: ReadonlyMap<string, DateValue>): void {
  const { after, notBefore } = binding.parameter;
  const earlier = dateValues.get(after ?? notBefore ?? '');
  if (earlier?.value === undefined) return;
  const distance = Date.parse(String(value)) - Date.parse(String(earlier.value));
  if (distance >= (after === undefined ? 0 : 1)) return;
  const order = after === undefined ? 'before' : 'not after';
  throw new UsageError(`${value} is ${order} ${earlier.where} (${earlier.value})`);
}

/** Texts that name records, to be looked up later. @throws UsageError for a person's address that is none */
function parseNames(texts: readonly string[], parameter: Parameter, kind: NamedKind): UnresolvedNames {
  for (const text of texts) checkRecordName(kind, text);
  const numeric = parameter.type.startsWith('integer');
  const convertId = (id: string) => (numeric && /^\d+$/.test(id) ? toNumber(id) : id);
  const toValue = (ids: readonly string[]) =>
    isListParameter(parameter) ? ids.map(convertId) : convertId(ids[0] ?? '');
  return { kind, texts, toValue };
}

/** One text to the value that the API takes. @throws UsageError */
function parseValue(text: string, parameter: Parameter, calendar: Calendar): unknown {
  if (parameter.choices !== undefined || parameter.words !== undefined) return parseChoice(text, parameter);
  switch (parameter.type) {
    case 'integer':
    case 'integer[]':
    case 'number':
      return parseNumber(text, parameter);
    case 'date':
      return parseDay(text, () => getToday(calendar.now, calendar.timeZone()));
    case 'datetime':
      return parseDateTime(text, calendar.timeZone, calendar.note);
    case 'email':
      checkEmail(text);
      return text;
    case 'url':
      if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
        throw new UsageError(`${quoteText(text)} is not a web address`, {
          hint: 'Use a full address: https://…',
        });
      return text;
    default:
      return text;
  }
}

function parseChoice(text: string, parameter: Parameter): string | number {
  const { choices, words } = parameter;
  if (choices !== undefined) {
    const match = choices.find((choice) => choice === text || toKebabCase(choice) === toKebabCase(text));
    if (match !== undefined) return match;
  } else if (words !== undefined) {
    const number = words[toKebabCase(text)];
    if (number !== undefined) return number;
    if (/^\d+$/.test(text)) return parseNumber(text, parameter);
  }
  throw createChoiceError(text, listChoices(parameter));
}

/** @param prefix names the flag: `--role: ` */
function createChoiceError(text: string, words: readonly string[], prefix = ''): UsageError {
  const suggestion = findNearest(toKebabCase(text), words);
  const hint = suggestion === undefined ? undefined : `Did you mean ${suggestion}?`;
  return new UsageError(`${prefix}${quoteText(text)} is not one of ${words.join(', ')}`, { hint });
}

/** Digits before the point: JavaScript keeps no more. */
const MAX_DIGITS = 15;

function parseNumber(text: string, parameter: Parameter): number {
  const isInteger = parameter.type !== 'number';
  const digits = (isInteger ? /^-?(\d+)$/ : /^-?(\d+)(\.\d+)?$/).exec(text)?.[1];
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = parameter;
  if (digits === undefined) {
    const expected = isInteger ? 'a whole number' : 'a number';
    const hasDecimalComma = !isInteger && /^-?\d+,\d+$/.test(text);
    const advice = hasDecimalComma ? `: write ${text.replace(',', '.')}` : '';
    throw new UsageError(`${quoteText(text)} is not ${expected}${advice}`);
  }
  if (digits.length > MAX_DIGITS) {
    const scope = isInteger ? '' : ' before the decimal point';
    throw new UsageError(`${shortenText(text)} is out of range: at most ${MAX_DIGITS} digits${scope}`);
  }
  const number = toNumber(text);
  if (number < min || number > max) {
    const range = parameter.max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`${text} is out of range: ${range}`);
  }
  return number;
}
