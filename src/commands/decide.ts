import type { Command, Option } from 'commander';
import type { Api, Call } from '../api/client.ts';
import { nounOf, type Operation } from '../api/operation.ts';
import type { Page, Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { each } from '../bulk/each.ts';
import type { Column, Context, Names } from '../context.ts';
import { UsageError } from '../outcome.ts';
import { isInState, type Resource, type Transition } from '../resources/resource.ts';
import {
  allOption,
  factsOf,
  operationCommand,
  periodOption,
  targetOptions,
  withFacts,
  zoneOption,
} from './command.ts';
import { checkFilters, FILTERS } from './filters.ts';
import { rowOf } from './row.ts';

/** Commands that move records from one state to another, by name or all that a list finds: approve, reject … */

/** What is decided on. */
export interface Matter {
  readonly resource: Resource;
  readonly list: Operation;
  /** The flags of that list but `--period`. */
  readonly filters: () => readonly Option[];
  readonly find: (api: Api, filters: Values) => AsyncIterable<Page>;
  /** What is said of a record in the question: what names it first, its id last. */
  readonly columns: (names: Names) => readonly Column[];
}

/** The flags of a list that is filtered by days: `--period` beside its filters. */
export const filtered = (command: Command, { filters }: Pick<Matter, 'filters'>): Command => {
  for (const option of [...filters(), periodOption()]) command.addOption(option);
  return command;
};

/** A command over the records named, or with `--all` over those that the list's filters match. */
export const decisionCommand = (
  matter: Matter,
  { verb, from }: Transition,
  operation: Operation,
  examples: readonly string[],
): Command => {
  const [one, many] = matter.resource.words;
  const command = targetOptions(operationCommand(verb[0], operation, examples))
    .argument('[id...]', `ids of ${many}, or - for one a line on stdin`)
    .addOption(allOption(`every ${from} ${one} that the filters match`));
  for (const option of [...matter.filters(), periodOption()]) command.addOption(option.helpGroup(FILTERS));
  return withFacts(command.addOption(zoneOption()), { ...factsOf(command), from });
};

interface Decision<V extends Values> extends Transition {
  readonly call: (id: string, values: V) => Call;
  readonly targets: readonly string[];
  readonly values: V;
  readonly options: Readonly<Record<string, unknown>>;
}

/** @throws UsageError for filters that would be without effect, or that contradict the move */
const checkDecision = (
  { list, resource: { words } }: Matter,
  filters: Values,
  { from, verb, options }: Pick<Decision<Values>, 'from' | 'verb' | 'options'>,
): void => {
  checkFilters(Object.keys(list.parameters), filters, options, `${verb[0]} every ${from} ${words[0]}`);
  if (filters.status !== undefined && filters.status !== from) {
    throw new UsageError(`only ${from} ${words[1]} can be ${verb[1]}`, {
      hint: `Leave out --status, or say --status ${from}.`,
    });
  }
};

const SHOWN = 3;

const thenOf = (
  { commandLine }: Context,
  { list }: Matter,
  { from, back }: Transition,
  ids: readonly string[],
): string => {
  if (back === undefined)
    return `See what is left: ${commandLine`ttctl ${nounOf(list)} list --status ${from}`}`;
  return `Take it back with: ${commandLine`ttctl ${nounOf(list)} ${back} ${ids.slice(0, SHOWN)}`}`;
};

/** What the person will read, in the question too; the rows of a file have their own. */
const factsIn = ({ reason, comment }: Values): readonly string[] => [
  ...(reason === undefined ? [] : [`reason     ${reason}`]),
  ...(comment === undefined ? [] : [`comment    ${comment}`]),
];

/**
 * Carries the move out, and prints a result for each record.
 * @throws UsageError, Cancelled, and the failure when any of them failed
 */
export const decide = async <V extends Values>(
  context: Context,
  matter: Matter,
  decision: Decision<V>,
): Promise<void> => {
  const { names } = context;
  const noun = matter.resource.words;
  const { verb, asks, targets, call, from, values, options } = decision;
  checkDecision(matter, values, decision);
  const all = {
    pages: () => matter.find(context.api, { ...values, status: from }),
    ready: (row: Row) => isInState(matter.resource, row, from),
    columns: matter.columns(names),
    row: (id: string) => rowOf(matter.find(context.api, { id }), id),
  };
  const facts = factsIn(values);
  const hint = (ids: readonly string[]) => thenOf(context, matter, decision, ids);
  await each(context, { verb, asks, targets, values, call, noun, all, facts, hint }, options);
};
