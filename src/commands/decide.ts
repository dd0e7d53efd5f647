import { findKindOfNoun, isInState } from '../api/fields.ts';
import { listMeant } from '../api/filter-check.ts';
import { getIdName, type Move, type Operation } from '../api/operation.ts';
import { collectRows, type Row } from '../api/page.ts';
import { isPersonText, type Values } from '../api/plan.ts';
import type { Write } from '../changes/change.ts';
import type { createIdFinder } from '../changes/select.ts';
import { type Command, defineCommand } from '../cli/command.ts';
import { FILTERS } from '../cli/flag.ts';
import { type InboxKind, toInboxItem } from '../decide/item.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { Resource, VerbOf } from '../resources/define.ts';
import type { FindId } from '../resources/names.ts';
import type { Run } from '../run.ts';
import { checkFilters, findRow } from './filters.ts';
import { allFlags, cleanFlag, periodFlag, targetFlags, variadic, zoneFlag } from './flags.ts';

/** Commands that move records from one state to another, by name or all that a list finds: approve, reject … */

interface Decision {
  readonly resource: Resource;
  readonly list: Operation;
  readonly operation: Operation;
  readonly from: string;
  readonly verb: readonly [imperative: string, past: string];
}

/** A command over the records named, or with `--all` over those that the list's filters match. */
export function defineDecisionCommand(
  resource: Resource,
  operation: Operation,
  { flags = [], examples }: VerbOf<'decide'>,
): Command {
  const [one, many] = resource.record.words;
  const { list } = resource.operations as { readonly list: Operation };
  const { from = '', past } = operation.moves as Move;
  const [, name = ''] = operation.id.split('.');
  const decision: Decision = { resource, list, operation, from, verb: [name, past] };
  const filters = [...resource.filters, periodFlag].map((flag) => ({ ...flag, group: FILTERS }));
  return defineCommand({
    path: operation.id.replace('.', ' '),
    operation,
    examples,
    list,
    from,
    prints: { shape: 'results' },
    positionals: [
      variadic('id', `ids of ${many}, their members (if exactly one matches), or - to read them from stdin`),
    ],
    flags: [
      ...targetFlags(operation),
      ...allFlags(`every ${from} ${one} that the filters match`),
      ...(isFinal(operation) ? [cleanFlag] : []),
      ...filters,
      zoneFlag,
      ...flags,
    ],
    run: (context, { targets, values, options }) => decide(context, decision, { targets, values, options }),
  });
}

interface Given {
  readonly targets: readonly string[];
  readonly values: Values;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Runs the transition, and prints a result for each record.
 * @throws UsageError, Cancelled, and the failure when any of them failed
 */
async function decide(run: Run, decision: Decision, { targets, values, options }: Given): Promise<void> {
  const { resource, list, operation, from, verb } = decision;
  const { record, label } = resource;
  checkDecision(decision, values, options, targets.length > 0 && targets.every(isPersonText));
  const find = (filters: Values) => run.call(list, filters);
  const all = {
    list: () => find({ ...values, status: from }),
    ready: (row: Row) => isInState(record, row, from),
    columns: label(run.names),
    row: (id: string) => findRow(find({ id }).pages(), id),
  };
  await startWrite(run, options, {
    verb,
    needsConfirmation: isFinal(operation),
    targets,
    values,
    call: (id, row) => run.call(operation, { ...row, [getIdName(operation)]: id }),
    noun: record.words,
    findId: findIdsOf(run, () => run.lists.pages(all.list()), all.columns),
    all,
    facts: listFacts(values),
    hint: (ids: readonly string[]) => formatNextStep(run, decision, ids),
    isName: isPersonText,
    resolve: createTargetFinder(run, decision, values),
    ...(isFinal(operation) ? { findWarnings: createWarningsFinder(run, kindOf(resource)) } : {}),
  });
}

/** The one path that writes, loaded when it begins: help and lists do without it. */
export async function startWrite(run: Run, options: Given['options'], given: Write): Promise<void> {
  const { write } = await import('../changes/write.ts');
  await write(run, options, given);
}

type IdFinder = typeof createIdFinder;

/** Finds ids by their beginnings, as tables show long ones. */
export function findIdsOf(
  run: Run,
  pages: Parameters<IdFinder>[1],
  columns: Parameters<IdFinder>[2],
): ReturnType<IdFinder> {
  let finder: Promise<ReturnType<IdFinder>> | undefined;
  return async (text) => {
    finder ??= import('../changes/select.ts').then((select) => select.createIdFinder(run, pages, columns));
    return (await finder)(text);
  };
}

/** Whether nothing takes it back: one record alone asks too. */
function isFinal({ undo }: Operation): boolean {
  return undo?.kind === 'none';
}

function kindOf({ record }: Resource): InboxKind {
  return findKindOfNoun(record.noun) as InboxKind;
}

/**
 * @param byName whether members are named, whose records the filters tell apart
 * @throws UsageError for filters that would be without effect, or that contradict the transition
 */
function checkDecision(
  { list, resource, from, verb }: Decision,
  filters: Values,
  options: Given['options'],
  byName: boolean,
): void {
  const [one, many] = resource.record.words;
  const names = Object.keys(list.parameters);
  checkFilters(byName ? [] : names, filters, options, `${verb[0]} every ${from} ${one}`);
  if (filters.status !== undefined && filters.status !== from) {
    throw new UsageError(`only ${from} ${many} can be ${verb[1]}`, {
      hint: `Omit --status, or use --status ${from}.`,
    });
  }
}

const MAX_HINT_IDS = 3;

function formatNextStep(
  { commandLine }: Run,
  { resource, operation: { undo }, from }: Decision,
  ids: readonly string[],
): string {
  if (undo?.kind !== 'opposite')
    return `See the rest: ${commandLine`ttctl ${resource.record.noun} list --status ${from}`}`;
  return `Undo with: ${commandLine`ttctl ${undo.by.split('.')} ${ids.slice(0, MAX_HINT_IDS)}`}`;
}

/** What the person will read, in the question too; the rows of a file have their own. */
function listFacts({ reason, comment }: Values): readonly string[] {
  return [
    ...(reason === undefined ? [] : [`reason     ${reason}`]),
    ...(comment === undefined ? [] : [`comment    ${comment}`]),
  ];
}

function createWarningsFinder(run: Run, kind: InboxKind): Write['findWarnings'] {
  return async (changes) => {
    const { findWarnings } = await import('../decide/decision-warnings.ts');
    return findWarnings(run, kind, changes);
  };
}

/** Finds the id behind a target that may be a member. The list is read once, whatever the number of targets. */
function createTargetFinder(run: Run, decision: Decision, values: Values): FindId {
  const { list, resource, from } = decision;
  let reading: Promise<readonly Row[]> | undefined;
  const read = (): Promise<readonly Row[]> =>
    collectRows(
      listMeant(
        run.lists.once(run.call(list, { ...values, status: from })),
        (row) => isInState(resource.record, row, from),
        run.output.warn,
      ),
    );
  return async (target, among) => {
    if (!isPersonText(target)) return target;
    const memberId = await run.lookUps.find('member', target, among?.filter(isPersonText));
    reading ??= read();
    const kind = kindOf(resource);
    const rows = (await reading).filter((row) => toText(toInboxItem(kind, row).userId) === memberId);
    if (rows.length === 0) throw createNothingFoundError(run, decision, target);
    return rows.length === 1 ? toText(rows[0]?.id) : pickOne(run, decision, target, rows);
  };
}

/** @throws Failure (exit 5): the member has no such record */
function createNothingFoundError(
  { commandLine }: Run,
  { resource: { record }, from }: Decision,
  text: string,
): Failure {
  return new Failure(`"${text}" has no ${from} ${record.words[0]} that matches`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint: `See all: ${commandLine`ttctl ${record.noun} list --status ${from} --member ${text}`}`,
  });
}

/** One of several: a person picks it. @throws UsageError with the candidates where nobody can be asked */
async function pickOne(
  { prompter, output, names }: Run,
  { resource: { record, label }, from, verb }: Decision,
  text: string,
  rows: readonly Row[],
): Promise<string> {
  const shown = label(names);
  if (!prompter.available) {
    const words = await output.inWords(rows, shown);
    throw new UsageError(`"${text}" has ${rows.length} ${from} ${record.words[1]}`, {
      code: 'ambiguous',
      reason: words.map((cells) => cells.filter(Boolean).join('  ')).join('\n'),
      hint: 'Name one by its id, or narrow them down with --period.',
    });
  }
  const [picked] = await prompter.pick({
    message: `${record.words[0]} of "${text}" to ${verb[0]}`,
    rows,
    // There is no room for whole ids, and nobody needs them to point at a line.
    columns: shown.filter(({ field }) => field !== 'id'),
  });
  return toText(picked?.row.id ?? '');
}
