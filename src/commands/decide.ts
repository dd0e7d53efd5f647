import { callOperation } from '../api/calls.ts';
import { isInState, type Transition } from '../api/fields.ts';
import { nounOf, type Operation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import { isPersonText, type Values } from '../api/plan.ts';
import type { Write } from '../changes/change.ts';
import { createIdFinder } from '../changes/select.ts';
import { write } from '../changes/write.ts';
import { type Command, defineCommand } from '../cli/command.ts';
import { FILTERS, type Flag } from '../cli/flag.ts';
import type { Context } from '../context.ts';
import type { InboxKind } from '../decide/item.ts';
import { UsageError } from '../errors.ts';
import { createTargetFinder, type DecidableResource } from './decision-targets.ts';
import { checkFilters, findRow } from './filters.ts';
import { periodFlag, variadic, zoneFlag } from './flags.ts';
import { allFlags, cleanFlag, targetFlags } from './target-flags.ts';
import { callFor } from './verbs.ts';

/** Commands that move records from one state to another, by name or all that a list finds: approve, reject … */

interface Decision {
  readonly targets: readonly string[];
  readonly values: Values;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * @param byName whether members are named, whose records the filters tell apart
 * @throws UsageError for filters that would be without effect, or that contradict the transition
 */
const checkDecision = (
  { list, resource: { words } }: DecidableResource,
  filters: Values,
  { from, verb }: Transition,
  options: Decision['options'],
  byName: boolean,
): void => {
  const names = Object.keys(list.parameters);
  checkFilters(byName ? [] : names, filters, options, `${verb[0]} every ${from} ${words[0]}`);
  if (filters.status !== undefined && filters.status !== from) {
    throw new UsageError(`only ${from} ${words[1]} can be ${verb[1]}`, {
      hint: `Omit --status, or use --status ${from}.`,
    });
  }
};

const MAX_HINT_IDS = 3;

const formatNextStep = (
  { commandLine }: Context,
  { list }: DecidableResource,
  { from, back }: Transition,
  ids: readonly string[],
): string => {
  if (back === undefined) return `See the rest: ${commandLine`ttctl ${nounOf(list)} list --status ${from}`}`;
  return `Undo with: ${commandLine`ttctl ${nounOf(list)} ${back} ${ids.slice(0, MAX_HINT_IDS)}`}`;
};

/** What the person will read, in the question too; the rows of a file have their own. */
const listFacts = ({ reason, comment }: Values): readonly string[] => [
  ...(reason === undefined ? [] : [`reason     ${reason}`]),
  ...(comment === undefined ? [] : [`comment    ${comment}`]),
];

const createWarningsFinder =
  (context: Context, kind: InboxKind): Write['findWarnings'] =>
  async (changes) => {
    const { findWarnings } = await import('./decision-warnings.ts');
    return findWarnings(context, kind, changes);
  };

/**
 * Runs the transition, and prints a result for each record.
 * @throws UsageError, Cancelled, and the failure when any of them failed
 */
const decide = async (
  context: Context,
  decidable: DecidableResource,
  transition: Transition,
  operation: Operation,
  { targets, values, options }: Decision,
): Promise<void> => {
  const { names } = context;
  const noun = decidable.resource.words;
  const { verb, asks, from } = transition;
  checkDecision(decidable, values, transition, options, targets.length > 0 && targets.every(isPersonText));
  const find = (filters: Values) => callOperation(context.api, decidable.list)(filters);
  const all = {
    list: () => find({ ...values, status: from }),
    ready: (row: Row) => isInState(decidable.resource, row, from),
    columns: decidable.columns(names),
    row: (id: string) => findRow(find({ id }).pages(), id),
  };
  const facts = listFacts(values);
  const hint = (ids: readonly string[]) => formatNextStep(context, decidable, transition, ids);
  await write(context, options, {
    verb,
    needsConfirmation: asks,
    targets,
    values,
    call: (id, row) => callFor(context.api, operation, id, row),
    noun,
    findId: createIdFinder(context, () => context.lists.pages(all.list()), all.columns),
    all,
    facts,
    hint,
    isName: isPersonText,
    resolve: createTargetFinder(context, { decidable, transition, values }),
    ...(asks ? { findWarnings: createWarningsFinder(context, decidable.kind) } : {}),
  });
};

/** A command over the records named, or with `--all` over those that the list's filters match. */
export const defineDecisionCommand = (
  decidable: DecidableResource,
  transition: Transition,
  operation: Operation,
  { flags = [], examples }: { readonly examples: readonly string[]; readonly flags?: readonly Flag[] },
): Command => {
  const [one, many] = decidable.resource.words;
  const { verb, from } = transition;
  const filters = [...decidable.filters, periodFlag].map((flag) => ({ ...flag, group: FILTERS }));
  return defineCommand({
    path: `${nounOf(operation)} ${verb[0]}`,
    operation,
    examples,
    list: decidable.list,
    from,
    positionals: [
      variadic('id', `ids of ${many}, their members (if exactly one matches), or - to read them from stdin`),
    ],
    flags: [
      ...targetFlags(operation),
      ...allFlags(`every ${from} ${one} that the filters match`),
      ...(transition.asks ? [cleanFlag] : []),
      ...filters,
      zoneFlag,
      ...flags,
    ],
    run: (context, { targets, values, options }) =>
      decide(context, decidable, transition, operation, { targets, values, options }),
  });
};
