import { callOperation } from '../api/calls.ts';
import { isInState, type Resource, type Transition } from '../api/fields.ts';
import { listMeant } from '../api/filter-check.ts';
import { nounOf, type Operation } from '../api/operation.ts';
import { collectRows, type Row } from '../api/page.ts';
import { isPersonText, type Values } from '../api/plan.ts';
import type { Flag } from '../cli/flag.ts';
import type { Context, FindId, Names } from '../context.ts';
import { type InboxKind, toInboxItem } from '../decide/item.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';

/** Decisions about records that are named by their members. */

/** What is decided on. */
export interface DecidableResource {
  readonly kind: InboxKind;
  readonly resource: Resource;
  readonly list: Operation;
  /** The flags of that list but `--period`. */
  readonly filters: readonly Flag[];
  /** What is said of a record in the question: what names it first, its id last. */
  readonly columns: (names: Names) => readonly Column[];
}

interface TargetSearch {
  readonly decidable: DecidableResource;
  readonly transition: Transition;
  /** Of the flags: the filters of the list among them. */
  readonly values: Values;
}

/** @throws Failure (exit 5): the member has no such record */
const createNothingFoundError = (
  { commandLine }: Context,
  { decidable: { list, resource }, transition: { from } }: TargetSearch,
  text: string,
): Failure =>
  new Failure(`"${text}" has no ${from} ${resource.words[0]} that matches`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint: `See all: ${commandLine`ttctl ${nounOf(list)} list --status ${from} --member ${text}`}`,
  });

/** One of several: a person picks it. @throws UsageError with the candidates where nobody can be asked */
const pickOne = async (
  { prompter, output, names }: Context,
  { decidable: { columns, resource }, transition: { from, verb } }: TargetSearch,
  text: string,
  rows: readonly Row[],
): Promise<string> => {
  const shown = columns(names);
  if (!prompter.available) {
    const words = await output.inWords(rows, shown);
    throw new UsageError(`"${text}" has ${rows.length} ${from} ${resource.words[1]}`, {
      code: 'ambiguous',
      reason: words.map((cells) => cells.filter(Boolean).join('  ')).join('\n'),
      hint: 'Name one by its id, or narrow them down with --period.',
    });
  }
  const [picked] = await prompter.pick({
    message: `${resource.words[0]} of "${text}" to ${verb[0]}`,
    rows,
    // There is no room for whole ids, and nobody needs them to point at a line.
    columns: shown.filter(({ field }) => field !== 'id'),
  });
  return toText(picked?.row.id ?? '');
};

/** Finds the id behind a target. The list is read once, whatever the number of targets. */
export const createTargetFinder = (context: Context, search: TargetSearch): FindId => {
  const { decidable, transition, values } = search;
  const { kind, list, resource } = decidable;
  let reading: Promise<readonly Row[]> | undefined;
  const read = (): Promise<readonly Row[]> =>
    collectRows(
      listMeant(
        context.lists.once(callOperation(context.api, list)({ ...values, status: transition.from })),
        (row) => isInState(resource, row, transition.from),
        context.output.warn,
      ),
    );
  return async (target, among) => {
    if (!isPersonText(target)) return target;
    const memberId = await context.lookUps.find('member', target, among?.filter(isPersonText));
    reading ??= read();
    const rows = (await reading).filter((row) => toText(toInboxItem(kind, row).userId) === memberId);
    if (rows.length === 0) throw createNothingFoundError(context, search, target);
    return rows.length === 1 ? toText(rows[0]?.id) : pickOne(context, search, target, rows);
  };
};
