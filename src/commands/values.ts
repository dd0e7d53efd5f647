import type { Parameter } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import { type Extra, isEmptyUpdate, isPersonText, listMissing } from '../api/plan.ts';
import type { NamedKind } from '../api/records.ts';
import {
  type Binding,
  type Flag,
  formatLongFlag,
  getOptionKey,
  hasFlag,
  type Invocation,
  isFlag,
  isNeeded,
  listGiven,
  type Positional,
} from '../cli/flag.ts';
import { collectProblems, UsageError } from '../errors.ts';
import { toNumber } from '../json.ts';
import { getToday, parseDateTime, parseDay, parsePeriod, parseZone } from '../parsing/calendar.ts';
import { checkEmail, checkRecordName } from '../parsing/names.ts';
import { findNearest, isWebAddress, quoteText, shortenText } from '../parsing/text.ts';
import { listChoices, toKebabCase } from './flags.ts';

/** The values of a command's flags, and of cells of a file: all checked by the operation table, then looked up. */

export interface Calendar {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA name, or an offset; asked for only when a value needs it. */
  readonly timeZone: () => string;
  /** Told of a time that the zone has twice. */
  readonly note?: (text: string) => void;
}

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

/**
 * The values of a command's flags by the API's names. Checks all of them before the first look-up.
 * @param lookUp throws a Failure for a name that matches none or several
 * @param require gets the parameters that have a value, before the first look-up; throws UsageError when one is missing
 * @throws UsageError that tells every bad flag, and what is missing
 */
export async function resolveValues(
  invocation: Invocation,
  calendar: Calendar,
  lookUp: (kind: NamedKind, text: string) => Promise<string>,
  require: (values: Readonly<Record<string, unknown>>) => void,
): Promise<Record<string, unknown>> {
  const { values: checked, range, problems, given } = checkAll(invocation, calendar);
  const { command, options } = invocation;
  const [example] = command.examples;
  const absent: UsageError[] = [];
  for (const flag of options.fromFile === undefined ? command.flags : [])
    if (
      flag.needed &&
      isNeeded(flag, invocation) &&
      [options[getOptionKey(flag)]].flat().join('').trim() === ''
    )
      absent.push(new UsageError(`missing ${formatLongFlag(flag)}`, { code: 'missing_value' }));
  const isPeriod = options.period !== undefined;
  collectProblems(absent, () => require({ ...(isPeriod && { date_from: true, date_to: true }), ...given }));
  // One sentence names all that is missing.
  const names = absent.flatMap(({ message }) => /^missing (.*)/.exec(message)?.[1] ?? []);
  if (names.length > 1)
    absent.splice(0, names.length, new UsageError(`missing ${names.join(', ')}`, { code: 'missing_value' }));
  for (const error of absent) {
    const advice = error.code === 'missing_value' && example ? `For example: ${example}` : undefined;
    problems.push(new UsageError(error.message, { ...error, hint: error.hint ?? advice }));
  }
  if (problems.length > 0) throw combineErrors(problems);
  const values: Record<string, unknown> = { ...range };
  for (const { name, known, wanted } of checked) {
    const ids: string[] = [];
    for (const text of wanted?.texts ?? []) ids.push(await lookUp((wanted as UnresolvedNames).kind, text));
    values[name] = wanted === undefined ? known : wanted.toValue(ids);
  }
  return values;
}

export function listGivenValues(invocation: Invocation): readonly GivenValue[] {
  return listGiven(invocation).flatMap(({ source: { binding }, raw, where }) =>
    binding === undefined || raw === undefined ? [] : [{ binding, raw, where }],
  );
}

/**
 * @param others what is wrong with the flags that every command has
 * @throws UsageError that tells all that is wrong with the values of a command's flags
 */
export function checkFlags(
  invocation: Invocation,
  calendar: Calendar,
  others: readonly UsageError[] = [],
): void {
  const problems = [...others, ...checkAll(invocation, calendar).problems];
  if (problems.length > 0) throw combineErrors(problems);
}

/** One error that tells all of them, each with its way out; the error itself where it is the only one. */
export function combineErrors(problems: readonly UsageError[]): UsageError | undefined {
  const lines = problems.map(({ message, reason, hint }) =>
    [message, reason, hint].filter((text) => text !== undefined).join('. '),
  );
  const distinct = [...new Set(lines)];
  return distinct.length < 2 ? problems[0] : new UsageError(distinct.join('\n'));
}

/** Checks each by itself and against the others. What is wrong begins with the place where it was given. */
export function checkGiven(given: Iterable<GivenValue>, calendar: Calendar) {
  const values: CheckedValue[] = [];
  const problems: UsageError[] = [];
  // Only days and times come before and after each other.
  const days = new Map<string, GivenValue & { readonly value: unknown }>();
  for (const one of given) {
    const found: UsageError[] = [];
    collectProblems(found, () => {
      const value = checkValue(one.raw, one.binding, calendar);
      values.push(value);
      if (one.binding.parameter.type.startsWith('date')) days.set(value.name, { ...one, value: value.known });
    });
    // The profile's zone may be what is wrong, and not the day.
    for (const error of found)
      problems.push(
        error.code === 'bad_value' ? error : new UsageError(`${one.where}: ${error.message}`, error),
      );
  }
  for (const { where, binding, value } of days.values()) {
    const { after, notBefore } = binding.parameter;
    const earlier = days.get(after ?? notBefore ?? '');
    if (earlier?.value === undefined) continue;
    const distance = Date.parse(String(value)) - Date.parse(String(earlier.value));
    if (distance >= (after === undefined ? 0 : 1)) continue;
    const order = after === undefined ? 'before' : 'not after';
    problems.push(new UsageError(`${where}: ${value} is ${order} ${earlier.where} (${earlier.value})`));
  }
  return { values, problems };
}

/** @throws UsageError for what is no port of TCP; 0 means any free port */
export function parsePort(where: string, text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`${where}: "${text}" is not a port`);
  return port;
}

function checkAll(invocation: Invocation, calendar: Calendar) {
  const { command, options } = invocation;
  const { fromFile, input, base, period, dateFrom, dateTo, at, plan } = options;
  const given = listGivenValues(invocation);
  const { values, problems: found } = checkGiven(given, calendar);
  const problems = [...found];
  for (const flag of command.flags) {
    const raw = options[getOptionKey(flag)];
    if (flag.choices !== undefined && raw !== undefined && !flag.choices.includes(String(raw)))
      problems.push(createChoiceError(String(raw), flag.choices, `${formatLongFlag(flag)}: `));
  }
  if (at !== undefined && plan === undefined)
    problems.push(new UsageError('--at needs --plan', { hint: 'Without a plan, changes are sent at once.' }));
  else if (at !== undefined)
    collectProblems(problems, () => {
      const today = getToday(calendar.now, calendar.timeZone());
      const day = parseDay(String(at), () => today);
      if (day < today) throw new UsageError(`--at: ${day} has passed`);
    });
  if (base !== undefined && fromFile === undefined) problems.push(new UsageError('--base needs --from-file'));
  if (fromFile === '-' && input === '-')
    problems.push(new UsageError('--from-file and --input cannot both be stdin'));
  if (base === '-') problems.push(new UsageError('--base cannot be stdin'));
  let range: Row = {};
  if (period !== undefined && (dateFrom !== undefined || dateTo !== undefined))
    problems.push(new UsageError('--period cannot be used with --date-from or --date-to'));
  else if (period !== undefined)
    collectProblems(problems, () => {
      const { from, to } = parsePeriod(String(period), () => getToday(calendar.now, calendar.timeZone()));
      range = { date_from: from, date_to: to };
    });
  const names = Object.fromEntries(given.map(({ binding }) => [binding.name, true]));
  return { values, range, problems, given: names };
}

/**
 * A name in it is looked up later: look-ups ask the service, and bad input comes before the first request.
 * @throws UsageError
 */
function checkValue(raw: unknown, { name, parameter, lookup }: Binding, calendar: Calendar): CheckedValue {
  const { type, on } = parameter;
  if (type === 'boolean') return { name, known: raw };
  if (on !== undefined) return { name, known: on };
  const isList = type.endsWith('[]');
  const texts = [raw].flat().flatMap((one) =>
    isList
      ? String(one)
          .split(',')
          .filter((part) => part !== '')
      : [String(one)],
  );
  if (lookup === undefined) {
    const values = texts.map((text) => parseValue(text, parameter, calendar));
    if (values.length === 0) throw new UsageError('needs a value');
    return { name, known: isList ? values : values[0] };
  }
  for (const text of texts) checkRecordName(lookup, text);
  const toId = (id: string) => (type.startsWith('integer') && /^\d+$/.test(id) ? toNumber(id) : id);
  const toValue = (ids: readonly string[]) => (isList ? ids.map(toId) : toId(ids[0] ?? ''));
  return { name, wanted: { kind: lookup, texts, toValue } };
}

/** One text to the value that the API takes. @throws UsageError */
function parseValue(text: string, parameter: Parameter, calendar: Calendar): unknown {
  const { type, choices, words } = parameter;
  if (choices !== undefined || words !== undefined) {
    const wanted = toKebabCase(text);
    const match = choices?.find((choice) => toKebabCase(choice) === wanted) ?? words?.[wanted];
    if (match !== undefined) return match;
    if (choices === undefined && /^\d+$/.test(text)) return parseNumber(text, parameter);
    throw createChoiceError(text, listChoices(parameter));
  }
  if (type.startsWith('integer') || type === 'number') return parseNumber(text, parameter);
  if (type === 'date') return parseDay(text, () => getToday(calendar.now, calendar.timeZone()));
  if (type === 'datetime') return parseDateTime(text, calendar.timeZone, calendar.note);
  if (type === 'email') checkEmail(text);
  if (type === 'zone') return parseZone(text);
  if (type === 'url' && !isWebAddress(text))
    throw new UsageError(`${quoteText(text)} is not a web address`, {
      hint: 'Use a full address: https://…',
    });
  return text;
}

/** What one list calls so, and another so. */
const SAME_STATES = ['pending submitted waiting', 'left archived', 'inactive invited'];

/** @param prefix names the flag: `--role: ` */
function createChoiceError(text: string, words: readonly string[], prefix = ''): UsageError {
  const wanted = toKebabCase(text);
  const same = SAME_STATES.map((line) => line.split(' ')).find((states) => states.includes(wanted));
  const suggestion = words.find((word) => same?.includes(word)) ?? findNearest(wanted, words);
  // Not the state that looks alike: it is the opposite.
  const isMissing = words.includes('submitted') && /^((not-|un)submitted|missing|late)$/.test(wanted);
  const meant = suggestion === undefined ? undefined : `Did you mean ${suggestion}?`;
  const hint = isMissing ? 'To list who has not submitted: ttctl timesheets missing' : meant;
  return new UsageError(`${prefix}${quoteText(text)} is not one of ${words.join(', ')}`, { hint });
}

/** Digits before the point: JavaScript keeps no more. */
const MAX_DIGITS = 15;

function parseNumber(text: string, parameter: Parameter): number {
  const isInteger = parameter.type !== 'number';
  const digits = (isInteger ? /^-?(\d+)$/ : /^-?(\d+)(\.\d+)?$/).exec(text)?.[1];
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = parameter;
  if (digits === undefined) {
    const [, whole, decimals] = /^(-?\d+)[.,](\d{1,2})$/.exec(text) ?? [];
    const taken = `The API takes whole ${parameter.unit ?? 'numbers'}.`;
    const hint = isInteger ? taken : `Did you mean ${whole}.${decimals}?`;
    const what = isInteger ? 'whole number' : 'number';
    throw new UsageError(`${quoteText(text)} is not a ${what}`, { hint: whole && hint });
  }
  if (digits.length > MAX_DIGITS) {
    throw new UsageError(`${shortenText(text)} is out of range: at most ${MAX_DIGITS} digits`);
  }
  const number = toNumber(text);
  if (number < min || number > max) {
    const range = parameter.max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
    throw new UsageError(`${text} is out of range: ${range}`);
  }
  return number;
}

/** What a person is asked for. `changes`: any of the fields of an update. */
export type Need = Flag | Positional | 'changes';

/**
 * What a command line leaves out that its command cannot do without, in the order in which it is asked for.
 * @param extra what `--param`, `--field` and `--input` give
 */
export function listNeeds(invocation: Invocation, extra: Extra): readonly Need[] {
  const { command, options } = invocation;
  const { operation, asks, list } = command;
  const { all, fromFile, template, period } = options;
  if (asks === false || fromFile !== undefined || template === true) return [];
  const given = listGiven(invocation).map(({ source, raw }) => {
    const isMissing = raw === undefined || (Array.isArray(raw) && raw.length === 0);
    return { source, binding: source.binding, raw, isMissing };
  });
  // Filters beside named targets are refused, unless they tell apart the records of members: nobody is asked then.
  const targets = invocation.operands.flat().filter((text) => text !== undefined);
  const isByName = command.from !== undefined && targets.length > 0 && targets.every(isPersonText);
  const isFilter = (owner: string | undefined) => owner !== undefined && owner !== operation?.id;
  const isFiltered =
    period !== undefined ||
    given.some(({ binding, raw }) => raw !== undefined && isFilter(binding?.operation.id));
  if (operation !== undefined && hasFlag(command, 'all') && all !== true && isFiltered && !isByName)
    return [];
  const values: Record<string, unknown> = period === undefined ? {} : { date_from: true, date_to: true };
  for (const { binding, raw } of given)
    if (binding !== undefined && raw !== undefined) values[binding.name] = raw;
  const required = [operation, all === true ? list : undefined].flatMap((one) =>
    one === undefined ? [] : listMissing(one, values, extra),
  );
  const takesRows = hasFlag(command, 'from-file');
  const needs = given.filter(({ source, binding, isMissing }) => {
    if (!isMissing) return false;
    if (binding !== undefined) return required.includes(binding.name);
    if (isFlag(source)) return isNeeded(source, invocation);
    return all !== true && (takesRows || isNeeded(source, invocation));
  });
  const isEmpty = operation !== undefined && isEmptyUpdate(operation, values, extra);
  return [...needs.map(({ source }) => source), ...(isEmpty ? (['changes'] as const) : [])];
}
