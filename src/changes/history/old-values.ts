import type { Operation, Parameter } from '../../api/operation.ts';
import type { Values } from '../../api/plan.ts';
import type { Context } from '../../context.ts';
import { isRecord, toNumber } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import { toIsoDay } from '../../parsing/meaning.ts';

/** Old values as a request can carry them: a record may show them otherwise. */

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** The old values that can be sent, and the names of those that cannot. */
export const splitOldValues = ({ parameters }: Operation, old: Values) => {
  const cannotSet = ([name, value]: [string, unknown]): boolean =>
    isEmpty(value) || (parameters[name]?.on !== undefined && parameters[name]?.on !== value);
  const pairs = Object.entries(old);
  const unset = pairs.filter(cannotSet).map(([name]) => name);
  return { values: Object.fromEntries(pairs.filter((pair) => !cannotSet(pair))), unset };
};

const toItem = (item: unknown): unknown => (isRecord(item) ? (item['user_id'] ?? item['id']) : item);

/** `Nov 14, 2026` is sent as a day, `1,240.50` as a number, people as their ids. */
const toSendable = (value: unknown, { type }: Pick<Parameter, 'type'>): unknown => {
  if (Array.isArray(value)) return value.map(toItem);
  if (type === 'date') return toIsoDay(value);
  if (typeof value !== 'string' || !['integer', 'number'].includes(type)) return value;
  const number = toNumber(value.replace(/,(?=\d{3})/g, ''));
  return Number.isNaN(Number(number)) ? value : number;
};

/** An id for what a record showed by its name. */
const resolveNames = async ({ lookUps }: Context, values: Values): Promise<Values> => {
  const resolve = async (kind: 'category' | 'project', name: string) => {
    const value = values[name];
    return value === undefined ? {} : { [name]: await lookUps.find(kind, toText(value)) };
  };
  return {
    ...values,
    ...(await resolve('category', 'category_id')),
    ...(await resolve('project', 'project_id')),
  };
};

/** @throws Failure for a name that no record has any more */
export const toSendableValues = async (
  context: Context,
  { parameters }: Operation,
  values: Values,
): Promise<Values> => {
  const resolved = await resolveNames(context, values);
  return Object.fromEntries(
    Object.entries(resolved).map(([name, value]) => {
      const parameter = parameters[name];
      return [name, parameter === undefined ? value : toSendable(value, parameter)];
    }),
  );
};
