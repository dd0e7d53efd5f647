import type { Parameter, ParameterType } from '../api/operation.ts';
import type { Column, Output } from '../context.ts';
import { isRecord } from '../json/number.ts';
import { toWord } from '../resources/resource.ts';
import type { Change } from './change.ts';

/** What an update has set, in words. */

const KINDS: Partial<Record<ParameterType, Column['kind']>> = { date: 'date', datetime: 'time' };

const columnOf = (field: string, { type, words, unit }: Partial<Parameter>): Column => {
  const kind = unit ?? (type === undefined ? undefined : KINDS[type]);
  return {
    field,
    ...(kind === undefined ? {} : { kind }),
    ...(words === undefined ? {} : { show: (row) => toWord(words, row[field]) }),
  };
};

/** `weekly hours limit 32, deadline Dec 24`: its days and numbers as tables have them. */
export const describeChange = async (
  { inWords }: Pick<Output, 'inWords'>,
  { call, after }: Pick<Change, 'call' | 'after'>,
): Promise<string> => {
  const given = Object.entries(after).filter(
    ([, value]) => value !== undefined && value !== null && !isRecord(value),
  );
  const columns = given.map(([name]) => columnOf(name, call.operation.parameters[name] ?? {}));
  const [words = []] = await inWords([Object.fromEntries(given)], columns);
  return given.map(([name], i) => `${name.replaceAll('_', ' ')} ${words[i]}`).join(', ');
};
