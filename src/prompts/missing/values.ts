import type { Parameter } from '../../api/operation.ts';
import { type Binding, type Flag, isFlag, type Positional } from '../../cli/flag.ts';
import { type Calendar, listChoices } from '../../commands/convert.ts';
import { checkGiven, type GivenValue } from '../../commands/values.ts';
import type { Prompter } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { UsageError } from '../../outcome.ts';
import { splitShellWords } from './shell.ts';

/** Values that are no records: choices, days, numbers, texts. What is asked is checked as a flag would be. */

export interface MissingValue {
  readonly source: Flag | Positional;
  readonly binding: Binding | undefined;
  /** Answered before: days come after each other. */
  readonly given: readonly GivenValue[];
  readonly calendar: Calendar;
}

const spellOut = (name: string): string => name.replace(/^no-/, '').replace(/[-_]/g, ' ');

const MAX_LABEL = 40;

/** What is asked for in a few words, and what else there is to say of it. */
export const describeMissingValue = ({ source, binding }: Pick<MissingValue, 'source' | 'binding'>) => {
  // Beyond a bracket or a semicolon help says how the value is written, which is not a person's business here.
  const about = binding?.parameter.about ?? source.about.replace(/( \(|;).*$/, '');
  const short = about.length <= MAX_LABEL && !/[,:;(]/.test(about);
  return short ? { label: about, more: '' } : { label: spellOut(source.name), more: about };
};

const describeFormat = ({ type, min, max }: Parameter, { timeZone }: Calendar): string => {
  if (type === 'date') return 'a date: 2026-11-20, today, yesterday or -7d';
  if (type === 'datetime') return `2026-11-20T09:00 in ${timeZone()}, or with an offset: +01:00`;
  if (!type.startsWith('integer') && type !== 'number') return '';
  const range = max === undefined ? (min === undefined ? '' : `, ${min} or more`) : ` from ${min} to ${max}`;
  return `a ${type === 'number' ? '' : 'whole '}number${range}`;
};

const toSentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

/** Why the text cannot be the value; `undefined` when it can. */
const findProblem = (raw: string, missing: MissingValue): string | undefined => {
  const { binding, given, calendar } = missing;
  if (binding === undefined) return undefined;
  const list = binding.parameter.type.endsWith('[]');
  const one: GivenValue = { binding, raw: list ? [raw] : raw, where: '' };
  const others = given.filter((other) => other.binding.name !== binding.name);
  const [problem] = checkGiven([...others, one], calendar).problems;
  return problem && toSentence(problem.message.replace(/^: /, ''));
};

/** The value as it will still mean the same tomorrow: a day for `today`. */
const toLastingValue = (raw: string, { binding, calendar }: MissingValue): string => {
  if (binding === undefined || !binding.parameter.type.startsWith('date')) return raw;
  const [value] = checkGiven([{ binding, raw, where: '' }], calendar).values;
  return String(value?.known ?? raw);
};

async function* yieldRows(values: readonly string[]) {
  yield { rows: values.map((id) => ({ id })), total: values.length };
}

const toOpenRow = (text: string) => (/^[^\s,]+$/.test(text) ? { id: text } : undefined);

/** Words that are known, and others. */
const pickOffered = async (
  prompter: Prompter,
  missing: MissingValue,
  values: readonly string[],
): Promise<readonly string[]> => {
  const picked = await prompter.pick({
    message: describeMissingValue(missing).label,
    pages: yieldRows(values),
    columns: [{ field: 'id' }],
    several: missing.binding?.parameter.type.endsWith('[]') === true,
    other: toOpenRow,
  });
  return picked.map(({ row }) => toText(row.id));
};

const isSwitch = ({ binding }: MissingValue): boolean =>
  binding?.parameter.type === 'boolean' || binding?.parameter.on !== undefined;

const checkWords = (text: string): string | undefined => {
  try {
    return splitShellWords(text).length === 0 ? 'Enter a value.' : undefined;
  } catch (error) {
    return error instanceof UsageError ? toSentence(error.message) : String(error);
  }
};

/** @returns the texts that the flag or positional would have been given; `yes` or `no` for a switch */
export const promptForValue = async (
  prompter: Prompter,
  missing: MissingValue,
): Promise<readonly string[]> => {
  const { source, binding, calendar } = missing;
  const { label, more } = describeMissingValue(missing);
  const fixed =
    binding === undefined
      ? ((isFlag(source) ? source.choices : undefined) ?? [])
      : listChoices(binding.parameter);
  const choices = isSwitch(missing) ? ['yes', 'no'] : fixed;
  if (choices.length > 0) return [await prompter.choose(label, choices)];
  const { offers = [] } = source;
  if (offers.length > 0) return pickOffered(prompter, missing, offers);
  const form = binding === undefined ? '' : describeFormat(binding.parameter, calendar);
  const help = [more, form].filter((part) => part !== '').join('; ');
  if (!isFlag(source) && source.variadic) {
    return splitShellWords(await prompter.text(label, { help, check: checkWords }));
  }
  const answer = await prompter.text(label, { help, check: (text) => findProblem(text, missing) });
  return [toLastingValue(answer, missing)];
};
