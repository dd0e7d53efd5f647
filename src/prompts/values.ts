import type { Parameter } from '../api/operation.ts';
import { type Binding, type Flag, isFlag, type Positional } from '../cli/flag.ts';
import type { Calendar, GivenValue } from '../commands/values.ts';
import { checkGiven, listChoices } from '../commands/values.ts';
import { toText } from '../json.ts';
import type { Prompter } from '../output/prompt.ts';

/** Values that are no records: choices, days, numbers, texts. What is asked is checked as a flag would be. */

export interface MissingValue {
  readonly source: Flag | Positional;
  readonly binding: Binding | undefined;
  /** Answered before: days come after each other. */
  readonly given: readonly GivenValue[];
  readonly calendar: Calendar;
}

/** @returns the texts that the flag or positional would have been given; `yes` or `no` for a switch */
export async function promptForValue(prompter: Prompter, missing: MissingValue): Promise<readonly string[]> {
  const { source, binding, calendar } = missing;
  const { label, more } = describeMissingValue(missing);
  const parameter = binding?.parameter;
  const isSwitch = parameter?.type === 'boolean' || parameter?.on !== undefined;
  const fixed = parameter === undefined ? isFlag(source) && source.choices : listChoices(parameter);
  const choices = isSwitch ? ['yes', 'no'] : fixed || [];
  if (choices.length > 0) return [await prompter.choose(label, choices)];
  if (source.offers !== undefined) {
    const rows = source.offers.map((id) => ({ id }));
    const several = parameter?.type.endsWith('[]') === true;
    const picked = await prompter.pick({ message: label, rows, columns: [{ field: 'id' }], several });
    return picked.map(({ row }) => toText(row.id));
  }
  const form = parameter === undefined ? '' : describeFormat(parameter, calendar);
  const help = [more, form].filter((part) => part !== '').join('; ');
  const answer = await prompter.text(label, { help, check: (text) => findProblem(text, missing) });
  if (!isFlag(source) && source.variadic) return answer.split(/\s+/);
  return [toLastingValue(answer, missing)];
}

const MAX_LABEL = 40;

/** What is asked for in a few words, and what else there is to say of it. */
export function describeMissingValue({ source, binding }: Pick<MissingValue, 'source' | 'binding'>) {
  // Beyond a bracket or a semicolon help says how the value is written, which is not a person's business here.
  const about = binding?.parameter.about ?? source.about.replace(/( \(|;).*$/, '');
  const short = about.length <= MAX_LABEL && !/[,:;(]/.test(about);
  const name = source.name.replace(/^no-/, '').replace(/[-_]/g, ' ');
  return short ? { label: about, more: '' } : { label: name, more: about };
}

function describeFormat({ type, min, max }: Parameter, { timeZone }: Calendar): string {
  if (type === 'date') return 'a date: 2026-11-20, today, yesterday or -7d';
  if (type === 'datetime') return `2026-11-20T09:00 in ${timeZone()}, or with an offset: +01:00`;
  if (!type.startsWith('integer') && type !== 'number') return '';
  const range = max === undefined ? (min === undefined ? '' : `, ${min} or more`) : ` from ${min} to ${max}`;
  return `a ${type === 'number' ? '' : 'whole '}number${range}`;
}

/** Why the text cannot be the value; `undefined` when it can. */
function findProblem(raw: string, { binding, given, calendar }: MissingValue): string | undefined {
  if (binding === undefined) return undefined;
  const list = binding.parameter.type.endsWith('[]');
  const one: GivenValue = { binding, raw: list ? [raw] : raw, where: '' };
  const others = given.filter((other) => other.binding.name !== binding.name);
  const text = checkGiven([...others, one], calendar).problems[0]?.message.replace(/^: /, '');
  return text && `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The value as it will still mean the same tomorrow: a day for `today`. */
function toLastingValue(raw: string, { binding, calendar }: MissingValue): string {
  if (binding === undefined || !binding.parameter.type.startsWith('date')) return raw;
  const [value] = checkGiven([{ binding, raw, where: '' }], calendar).values;
  return String(value?.known ?? raw);
}
