import type { Parameter } from '../api/operation.ts';
import type { CheckedValue } from '../changes/input/row.ts';
import { type Binding, getOptionKey } from '../cli/flag.ts';
import { type Invocation, listGiven } from '../cli/invocation.ts';
import type { NamedKind } from '../context.ts';
import { collectProblems, UsageError } from '../errors.ts';
import { getToday, parsePeriod } from '../parsing/calendar.ts';
import { type Calendar, findChoiceErrors, isListParameter, parseNames, parseValue } from './convert.ts';

/** The values of a command's flags: all checked, then looked up. */

/** Looks an id up for a name or an e-mail address. @throws Failure when it matches none or several */
type ResolveName = (kind: NamedKind, text: string) => Promise<string>;

const splitTexts = (raw: unknown, parameter: Parameter): readonly string[] =>
  (Array.isArray(raw) ? raw.map(String) : [String(raw)]).flatMap((text) =>
    isListParameter(parameter) ? text.split(',').filter((part) => part !== '') : [text],
  );

interface ResolveOptions {
  readonly calendar: Calendar;
  readonly lookUp: ResolveName;
  /** Gets the parameters that have a value, before the first look-up. @throws UsageError when one is missing */
  readonly requireParameters: (values: Readonly<Record<string, unknown>>) => void;
}

/** What was given for a parameter: by a flag, or in a column of a file. */
export interface GivenValue {
  readonly binding: Binding;
  readonly raw: unknown;
  /** How a person calls it: `--role`, `<email>`, `role`. */
  readonly where: string;
}

/** A name in it is looked up later: look-ups ask the service, and bad input comes before the first request. */
const checkValue = (raw: unknown, { name, parameter, lookup }: Binding, calendar: Calendar): CheckedValue => {
  if (parameter.type === 'boolean') return { name, known: raw };
  if (parameter.on !== undefined) return { name, known: parameter.on };
  const texts = splitTexts(raw, parameter);
  if (lookup !== undefined) return { name, wanted: parseNames(texts, parameter, lookup) };
  const values = texts.map((text) => parseValue(text, parameter, calendar));
  if (values.length === 0) throw new UsageError('needs a value');
  return { name, known: isListParameter(parameter) ? values : values[0] };
};

interface DateValue extends GivenValue {
  readonly value: unknown;
}

/** @throws UsageError for an end that comes before its begin */
const checkOrder = ({ binding, value }: DateValue, dateValues: ReadonlyMap<string, DateValue>): void => {
  const { after, notBefore } = binding.parameter;
  const earlier = dateValues.get(after ?? notBefore ?? '');
  if (earlier?.value === undefined) return;
  const distance = Date.parse(String(value)) - Date.parse(String(earlier.value));
  const minDistance = after === undefined ? 0 : 1;
  if (distance >= minDistance) return;
  throw new UsageError(
    `${value} is ${minDistance === 0 ? 'before' : 'not after'} ${earlier.where} (${earlier.value})`,
  );
};

/** Checks each by itself and against the others. What is wrong begins with the place where it was given. */
export const checkGiven = (
  given: Iterable<GivenValue>,
  calendar: Calendar,
): { readonly values: readonly CheckedValue[]; readonly problems: readonly UsageError[] } => {
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
};

/** What the command line gives for parameters. */
export const listGivenValues = (invocation: Invocation): readonly GivenValue[] =>
  listGiven(invocation).flatMap(({ source: { binding }, raw, where }) =>
    binding === undefined || raw === undefined ? [] : [{ binding, raw, where }],
  );

const readRange = ({ options }: Invocation, calendar: Calendar): Readonly<Record<string, string>> => {
  const { period, dateFrom, dateTo } = options;
  if (period === undefined) return {};
  if (dateFrom !== undefined || dateTo !== undefined) {
    throw new UsageError('--period cannot be used with --date-from or --date-to');
  }
  const range = parsePeriod(String(period), () => getToday(calendar.now, calendar.timeZone()));
  return { date_from: range.from, date_to: range.to };
};

/** One error that tells all of them, each with its way out; the error itself where it is the only one. */
export const combineErrors = (problems: readonly UsageError[]): UsageError | undefined => {
  const [first, ...others] = problems;
  if (first === undefined || others.length === 0) return first;
  const lines = problems.map(({ message, reason, hint }) =>
    [message, reason, hint].filter((text) => text !== undefined).join('. '),
  );
  const distinctLines = [...new Set(lines)];
  return distinctLines.length === 1 ? first : new UsageError(distinctLines.join('\n'));
};

/** Values of the command's flags that are none of their choices. */
const findChoiceProblems = ({ command, options }: Invocation): readonly UsageError[] =>
  findChoiceErrors(command.flags.map((flag) => [flag, options[getOptionKey(flag)]]));

/** All that is wrong with the values of a command's flags, each by itself and beside the others. */
const findFlagProblems = (invocation: Invocation, calendar: Calendar): readonly UsageError[] => {
  const problems = [...checkGiven(listGivenValues(invocation), calendar).problems];
  collectProblems(problems, () => readRange(invocation, calendar));
  return [...problems, ...findChoiceProblems(invocation)];
};

/**
 * @param problems with what every command takes: together with them all that is wrong with its own flags is told
 * @throws UsageError where there are any, or a flag has none of its words
 */
export const throwProblems = (
  invocation: Invocation,
  calendar: Calendar,
  problems: readonly UsageError[],
): void => {
  const ownProblems =
    problems.length === 0 ? findChoiceProblems(invocation) : findFlagProblems(invocation, calendar);
  const failure = combineErrors([...problems, ...ownProblems]);
  if (failure !== undefined) throw failure;
};

const resolveIds = async (
  { texts, kind }: NonNullable<CheckedValue['wanted']>,
  lookUp: ResolveName,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const text of texts) ids.push(await lookUp(kind, text));
  return ids;
};

/** @throws UsageError that tells all that is wrong with the values of a command's flags */
export const checkFlags = (invocation: Invocation, calendar: Calendar): void => {
  const failure = combineErrors(findFlagProblems(invocation, calendar));
  if (failure !== undefined) throw failure;
};

/** Adds the command's first example to an error about a missing value. */
const withExample = ({ command }: Invocation, check: () => void): void => {
  try {
    check();
  } catch (error) {
    const [example] = command.examples;
    const needsExample =
      error instanceof UsageError && error.code === 'missing_value' && error.hint === undefined;
    if (!needsExample || example === undefined) throw error;
    throw new UsageError(error.message, { ...error, hint: `For example: ${example}` });
  }
};

/**
 * The values of a command's flags by the API's names. Checks all of them before the first look-up.
 * @throws UsageError that tells every bad flag, and what is missing
 */
export const resolveValues = async (
  invocation: Invocation,
  options: ResolveOptions,
): Promise<Record<string, unknown>> => {
  const given = listGivenValues(invocation);
  const provided = Object.fromEntries(given.map(({ binding }) => [binding.name, true]));
  const period = invocation.options.period === undefined ? {} : { date_from: true, date_to: true };
  const problems = [...findFlagProblems(invocation, options.calendar)];
  collectProblems(problems, () =>
    withExample(invocation, () => options.requireParameters({ ...period, ...provided })),
  );
  const failure = combineErrors(problems);
  if (failure !== undefined) throw failure;
  const values: Record<string, unknown> = { ...readRange(invocation, options.calendar) };
  for (const { name, known, wanted } of checkGiven(given, options.calendar).values) {
    values[name] = wanted === undefined ? known : wanted.toValue(await resolveIds(wanted, options.lookUp));
  }
  return values;
};
