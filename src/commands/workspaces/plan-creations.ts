import { createAlikeResult, createLikenessKey } from '../../changes/if-missing.ts';
import { toReference } from '../../changes/references.ts';
import { toText } from '../../json/stringify.ts';
import { compareCells, nameRecord, nameRow } from './differences.ts';
import type { MatchedSheet, NewRow } from './match-rows.ts';
import { findWantedLinks, planLink } from './plan-updates.ts';
import { buildRecordCall, type PlannedRow, type Planning, toFailedColumns } from './planned-row.ts';

/** Rows of records that are to be made. */

const describeTexts = ({ row }: NewRow): string =>
  Object.entries(row.texts)
    .filter(([name, text]) => name !== 'id' && text.trim() !== '')
    .map(([name, text]) => `${name} ${text.trim()}`)
    .join(', ');

/** One that is there stays as it is, whatever else the row says. */
const warnOfOthers = ({ context, names, index }: Planning, { sheet, added }: MatchedSheet): void => {
  const others = added.flatMap(({ row, like }) =>
    like === undefined || compareCells(sheet, row, like, { names, index }).length === 0
      ? []
      : [{ at: `${row.place}:${row.line}`, name: nameRecord(sheet.noun, like, names), like }],
  );
  // Whoever joins may be listed for good: one line is enough, and no row has an id to be changed by.
  if (sheet.adds === true) {
    const [{ at, name } = {}] = others;
    const more = others.length < 2 ? '' : ` (and ${others.length - 1} more)`;
    if (at !== undefined)
      context.output.warn(
        `${at}${more}: ${name} already exists with other values and was left unchanged. To see them, run: ttctl workspaces diff`,
      );
    return;
  }
  for (const { at, name, like } of others)
    context.output.warn(
      `${at}: ${name} already exists with other values. To change it, put its id (${toText(like['id'])}) in the row.`,
    );
};

export interface PlannedCreations {
  readonly creations: readonly PlannedRow[];
  /** What a creation cannot set. */
  readonly later: readonly PlannedRow[];
  readonly links: readonly PlannedRow[];
}

const planNew = (
  planning: Planning,
  { sheet }: MatchedSheet,
  one: NewRow,
  key: string | undefined,
): PlannedCreations => {
  const { context } = planning;
  const { row, call, answer } = one;
  const { noun } = sheet;
  const target = nameRow(noun, row, planning.names, call.values);
  const columns = toFailedColumns(sheet, row, call.operation.id);
  const change = { target, key: key ?? `${row.place}:${row.line}`, columns, after: call.values, call };
  const words = [target, `new: ${describeTexts(one)}`];
  if (answer !== undefined)
    return { creations: [{ change, words, known: createAlikeResult(change, answer) }], later: [], links: [] };
  const id = toReference(target);
  const update = () => buildRecordCall(context, noun, 'update', { id }, row.later);
  const later = Object.keys(row.later).length === 0 ? undefined : update();
  const wanted = noun === 'viewers' ? (findWantedLinks(planning, sheet, row, []) ?? []) : [];
  return {
    creations: [{ change, words }],
    later:
      later === undefined
        ? []
        : [
            {
              change: {
                target,
                key: `later ${change.key}`,
                columns: { ...columns, operation: later.operation.id, id: target },
                after: row.later,
                call: later,
              },
              words: [target, 'its other values'],
            },
          ],
    links: wanted.map((link) => planLink(planning, sheet, 'assign', { id, name: target }, link)),
  };
};

export const planCreations = async (planning: Planning, matched: MatchedSheet): Promise<PlannedCreations> => {
  const [first] = matched.added;
  const getKey = first && (await createLikenessKey(first.call.operation));
  warnOfOthers(planning, matched);
  const planned = matched.added.map((one) => planNew(planning, matched, one, getKey?.(one.call.values)));
  return {
    creations: planned.flatMap(({ creations }) => creations),
    later: planned.flatMap(({ later }) => later),
    links: planned.flatMap(({ links }) => links),
  };
};
