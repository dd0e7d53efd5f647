import type { Command } from 'commander';
import type { Parameter } from '../api/operation.ts';
import { readPeriod, today } from '../calendar.ts';
import type { Lookup } from '../context.ts';
import { UsageError } from '../outcome.ts';
import { type Calendar, readValue } from './convert.ts';
import { type Bound, given, parameterOf } from './options.ts';

/** The values of a command's flags: all checked, then looked up. */

/** Looks an id up for a name or an e-mail address. @throws Failure when it matches none or several */
export type LookUp = (kind: Lookup, text: string) => Promise<string>;

const parts = (raw: unknown, parameter: Parameter): readonly string[] =>
  (Array.isArray(raw) ? raw.map(String) : [String(raw)]).flatMap((text) =>
    parameter.type.endsWith('[]') ? text.split(',').filter((part) => part !== '') : [text],
  );

interface Reading {
  readonly calendar: Calendar;
  readonly lookUp: LookUp;
  /** Told which parameters have a value, before the first look-up. @throws UsageError when one is missing */
  readonly complete: (values: Readonly<Record<string, unknown>>) => void;
}

/** Checked at once, looked up later: look-ups ask the service, and bad input comes before the first request. */
type Pending = { readonly name: string; readonly value: () => Promise<unknown> };

const readOption = (raw: unknown, { name, parameter, lookup }: Bound, reading: Reading): Pending => {
  if (parameter.type === 'boolean') return { name, value: async () => raw };
  if (parameter.on !== undefined) return { name, value: async () => parameter.on };
  const list = parameter.type.endsWith('[]');
  const texts = parts(raw, parameter);
  if (lookup !== undefined) {
    const numeric = parameter.type.startsWith('integer');
    const find = async (text: string) => {
      const id = await reading.lookUp(lookup, text);
      return numeric && /^\d+$/.test(id) ? Number(id) : id;
    };
    const all = async () => {
      const ids: unknown[] = [];
      for (const text of texts) ids.push(await find(text));
      return list ? ids : ids[0];
    };
    return { name, value: all };
  }
  const values = texts.map((text) => readValue(text, parameter, reading.calendar));
  return { name, value: async () => (list ? values : values[0]) };
};

const readRange = (command: Command, calendar: Calendar): Readonly<Record<string, string>> => {
  const period = command.getOptionValue('period');
  if (period === undefined) return {};
  if (command.getOptionValue('dateFrom') !== undefined || command.getOptionValue('dateTo') !== undefined) {
    throw new UsageError('--period and --date-from/--date-to exclude each other');
  }
  const range = readPeriod(String(period), () => today(calendar.now, calendar.timeZone()));
  return { date_from: range.from, date_to: range.to };
};

/**
 * The values of a command's flags by the API's names. Checks all of them before the first look-up.
 * @throws UsageError that tells every bad flag
 */
export const readValues = async (command: Command, reading: Reading): Promise<Record<string, unknown>> => {
  const pending: Pending[] = [];
  const problems: UsageError[] = [];
  let range: Readonly<Record<string, string>> = {};
  const attempt = (where: string, work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(new UsageError(where === '' ? error.message : `${where}: ${error.message}`, error));
    }
  };
  for (const { source, raw, where } of given(command)) {
    const binding = parameterOf(source);
    if (binding === undefined || raw === undefined) continue;
    attempt(where, () => pending.push(readOption(raw, binding, reading)));
  }
  attempt('', () => {
    range = readRange(command, reading.calendar);
  });
  const [first] = problems;
  if (first !== undefined) {
    throw new UsageError(problems.map((problem) => problem.message).join('\n'), {
      hint: first.hint,
      reason: first.reason,
    });
  }
  reading.complete({ ...range, ...Object.fromEntries(pending.map(({ name }) => [name, true])) });
  const values: Record<string, unknown> = { ...range };
  for (const { name, value } of pending) values[name] = await value();
  return values;
};
