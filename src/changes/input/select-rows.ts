import type { ApiCall } from '../../api/client.ts';
import type { Values } from '../../api/plan.ts';
import type { Context } from '../../context.ts';
import { shortenText } from '../../parsing/text.ts';
import { type Change, createChange, type Selection, type Write } from '../change.ts';
import { checkAnswerable } from '../confirm.ts';
import { describeEffect, describeRecord, sortGraveFirst } from '../describe-change.ts';
import { createLook } from '../effect.ts';
import { describeEarlierJob, findEarlierJob } from '../job/destination.ts';
import { pluralize } from '../run-summary.ts';
import { checkTarget } from '../select.ts';
import { createMissingResult } from '../send.ts';
import type { SendResult } from '../send-result.ts';
import type { ComparedRow } from './compare-rows.ts';
import type { InputRow, InputRows } from './file.ts';
import { readInputFile } from './file.ts';
import { createRowProblems } from './row-problems.ts';

/** The rows of `--from-file`: one write each. */

interface RowRules<V> {
  readonly options: Readonly<Record<string, unknown>>;
  readonly isUpdate?: boolean;
  readonly name?: ((values: V) => string | undefined) | undefined;
  readonly once?: ((row: InputRow) => string | undefined) | undefined;
  /** Rows with the same one are the same write, sent once. Default: every row is its own. */
  readonly same?: ((row: InputRow) => string) | undefined;
}

/** A row in a few words: what it changes of its record, where that was read; else its cells, what names it first. */
const describeRow = async (
  context: Context,
  change: Change,
  row: InputRow | undefined,
): Promise<readonly string[]> => {
  const { target, columns, before, call } = change;
  if (before !== undefined) {
    const look = await createLook(context, [call]);
    const { after, before: old } = (await look(call, before)) ?? {};
    const label = await describeRecord(context, change, before);
    const effect = { operation: call.operation.id, after, ...(old && { before: old }) };
    return [label ?? '', await describeEffect(context.output, effect), target];
  }
  const cells = sortGraveFirst(Object.keys(columns))
    .map((name) => columns[name] ?? '')
    .filter((cell) => cell.trim() !== '' && cell !== target);
  const id = row?.id === undefined || row.id === target ? [] : [`(${row.id})`];
  return [target, ...id, ...cells.map((cell) => shortenText(cell.trim().replace(/\s+/g, ' ')))];
};

interface CompareRules {
  readonly nameRow: (row: InputRow) => string;
  readonly isUpdate: boolean;
  readonly skipMissing: boolean;
}

/**
 * Of an update: what is left of each row beside its record.
 * @throws UsageError for cells that cannot be changed
 */
const compareWithRecords = async <V>(
  context: Context,
  { name, rows, base }: InputRows,
  work: Write<V>,
  { nameRow, isUpdate, skipMissing }: CompareRules,
): Promise<readonly ComparedRow[]> => {
  if (!isUpdate && !rows.some(({ missing }) => missing)) return [];
  const { compareRows } = await import('./compare-rows.ts');
  const create = (row: InputRow, values: Values): ApiCall => work.call(row.id ?? '', values as V);
  const requests = rows.map((row) => {
    const values = row.values();
    return { row, values, call: create(row, values), target: nameRow(row) };
  });
  const isMissing = ({ row }: { readonly row: InputRow }): boolean => row.missing;
  const toMissing = (request: (typeof requests)[number]): ComparedRow =>
    isMissing(request) ? { known: createMissingResult(request) } : {};
  if (!isUpdate) return requests.map(toMissing);
  const problems = createRowProblems(name);
  const present = requests.filter((request) => !isMissing(request));
  const compared = (await compareRows(context, present, create, { base, skipMissing, problems })).values();
  problems.throwIfAny();
  return requests.map((request) => (isMissing(request) ? toMissing(request) : (compared.next().value ?? {})));
};

/** Of rows that make records: which are alike, and which are there already. */
const compareWithLikes = async <V>(
  { api }: Context,
  rows: readonly InputRow[],
  work: Write<V>,
  nameRow: CompareRules['nameRow'],
): Promise<readonly { readonly key: string | undefined; readonly known?: SendResult }[]> => {
  const { createAlikeResult, createLikenessKey, findLikes } = await import('../if-missing.ts');
  const calls = rows.map((row) => work.call('', row.values() as V));
  const find = await findLikes(api, calls);
  const getKey = calls[0] && (await createLikenessKey(calls[0].operation));
  return calls.map((call, i) => {
    const record = find(call);
    const target = nameRow(rows[i] as InputRow);
    const known = record && { known: createAlikeResult({ target, call }, record) };
    return { key: getKey?.(call.values), ...known };
  });
};

const readInput = async <V>(
  context: Context,
  work: Write<V>,
  { once, same, options }: RowRules<V>,
): Promise<InputRows> => {
  const { resolve } = work;
  const read = await readInputFile(context, {
    skipMissing: options.skipMissing === true,
    check: (values, target) => {
      const call = (id: string) => work.call(id, values as V);
      if (target === undefined) call('').check();
      else checkTarget(work, target, call);
    },
    // Rows that are the same write are counted once, which is not known before their names are.
    ready: (count) => checkAnswerable(context, work, same === undefined ? count : Math.min(count, 1)),
    ...(resolve === undefined ? {} : { resolve }),
    ...(once === undefined ? {} : { once }),
  });
  const { others } = read;
  if (others > 0) context.output.note(`Skipped ${pluralize(others, ['row', 'rows'])} for other commands.`);
  return read;
};

/**
 * Checks every row, and looks the names up.
 * @throws UsageError that tells all that is wrong with the rows
 */
export const selectRows = async <V>(
  context: Context,
  work: Write<V>,
  rules: RowRules<V>,
): Promise<Selection> => {
  const { same, options, isUpdate = false } = rules;
  const skipMissing = options.skipMissing === true;
  const read = await readInput(context, work, rules);
  const { name: file, rows, input } = read;
  const nameRow = (row: InputRow): string =>
    row.target ?? rules.name?.(row.values() as V) ?? `row ${row.number}`;
  const compareRules = { nameRow, isUpdate, skipMissing };
  const compared = await compareWithRecords(context, read, work, compareRules);
  const alike = options.ifMissing === true ? await compareWithLikes(context, rows, work, nameRow) : [];
  const knownResults = new Map<number, SendResult>();
  const changes = rows.map((row, n) => {
    const { values, record: before, known = alike[n]?.known } = compared[n] ?? {};
    if (known !== undefined) knownResults.set(n, known);
    const key = same?.(row) ?? alike[n]?.key ?? `row ${row.number}`;
    return createChange(work, { n, target: nameRow(row), id: row.id ?? '', key, row, values, before });
  });
  // What may run any number of times is not said to have run before.
  const isRepeatable = options.ifMissing === true || rows.length === 0;
  const before = await findEarlierJob(context, work.verb, isRepeatable ? undefined : input);
  const repeatWarning = before === undefined ? undefined : describeEarlierJob(before);
  return {
    changes,
    words: (change) => describeRow(context, change, rows[change.n]),
    facts: [
      `file       ${file}`,
      ...(repeatWarning === undefined ? [] : [`again      ${repeatWarning}`]),
      ...(work.facts ?? []),
    ],
    noneMessage: `${file} has no rows.`,
    knownResults,
    input,
    repeatWarning,
  };
};
