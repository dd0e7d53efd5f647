import type { ListPage } from '../../api/page.ts';
import { listChangeable } from '../../api/plan.ts';
import type { Command } from '../../cli/command.ts';
import { type Flag, formatLongFlag, isFlag } from '../../cli/flag.ts';
import { type Invocation, listGiven } from '../../cli/invocation.ts';
import type { Calendar } from '../../commands/convert.ts';
import type { MissingInput, Need } from '../../commands/needs.ts';
import { checkFlags, listGivenValues } from '../../commands/values.ts';
import type { Context, NamedKind, PickedWords } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { ApiError, EXIT, UsageError } from '../../outcome.ts';
import { acceptsSwitchValue, applyAnswer } from './answers.ts';
import { findPickableKind, PICKABLE_WORDS, type PickableKind } from './kinds.ts';
import type { PickFilter, PickSource } from './pick-source.ts';
import type { PromptedAnswers } from './prompted-answers.ts';
import { createPickSource } from './records.ts';
import { describeMissingValue, promptForValue } from './values.ts';

/** Asks a person for what a command line leaves out, and gives it to the command as if it had been typed. */

export interface PromptContext {
  readonly invocation: Invocation;
  readonly context: Context;
  readonly calendar: Calendar;
  readonly answers: PromptedAnswers;
  /** What was picked, by id. */
  readonly picked: Map<string, PickedWords>;
  /** The lists that are being read. */
  readonly reading: Set<object>;
  /** @throws Failure for what is sure to be refused */
  readonly precheck: () => Promise<void>;
}

/** A verb as it is said of what it is done to. */
const VERBS: Readonly<Record<string, string>> = { get: 'show', assignees: 'view' };

const takesSeveral = ({ source }: MissingInput): boolean =>
  (isFlag(source) ? source.repeatable : source.variadic) === true;

const formatMessage = (need: MissingInput, kind: PickableKind, command: Command): string => {
  if (isFlag(need.source)) return describeMissingValue(need).label;
  const verb = command.name;
  return `${PICKABLE_WORDS[kind][takesSeveral(need) ? 1 : 0]} to ${VERBS[verb] ?? verb}`;
};

const createNothingToPickError = (kind: PickableKind, { from, verb }: PickFilter): UsageError => {
  const [one, many] = PICKABLE_WORDS[kind];
  const which = from === undefined ? one : `${from} ${one}`;
  return new UsageError(`there is no ${which} to ${VERBS[verb] ?? verb}`, {
    code: 'nothing_to_pick',
    reason: `None of the ${many} match.`,
  });
};

/** The value of a parameter or positional as it stands on the command line, or as it was answered. */
const findGiven = (invocation: Invocation, name: string) =>
  listGiven(invocation).find(({ source }) => (source.binding?.name ?? source.name) === name);

/** What a record of one kind needs to know of others: the tasks of which project, the contracts of whom. */
const createFilter = (promptContext: PromptContext): PickFilter => {
  const { invocation, context } = promptContext;
  const { name: verb, from } = invocation.command;
  return {
    verb,
    flags: invocation.options,
    from,
    async value(name, required) {
      const given = findGiven(invocation, name);
      if (given === undefined) return undefined;
      if (required && given.raw === undefined) await askOne(promptContext, toMissingInput(given.source));
      const raw = findGiven(invocation, name)?.raw;
      if (raw === undefined) return undefined;
      const text = String(Array.isArray(raw) ? raw[0] : raw);
      const lookup: NamedKind | undefined = given.source.binding?.lookup;
      return lookup === undefined ? text : context.lookUps.find(lookup, text);
    },
  };
};

const toMissingInput = (source: MissingInput['source']): MissingInput => ({
  what: 'value',
  source,
  binding: source.binding,
});

/** Asks for the id as text, where the list cannot be read or is empty. */
const askForId = async ({ context }: PromptContext, message: string): Promise<readonly string[]> => [
  await context.prompter.text(message, { help: 'its id, or another name the command accepts' }),
];

/** Known to be read until its end is reached. */
async function* trackReading(pages: AsyncIterable<ListPage>, reading: Set<object>): AsyncGenerator<ListPage> {
  reading.add(pages);
  try {
    yield* pages;
  } finally {
    reading.delete(pages);
  }
}

const pickOne = async (
  promptContext: PromptContext,
  need: MissingInput,
  kind: PickableKind,
): Promise<readonly string[]> => {
  const { invocation, context, picked } = promptContext;
  const filter = createFilter(promptContext);
  const message = formatMessage(need, kind, invocation.command);
  const source: PickSource = await createPickSource(kind, context, filter);
  const { columns, order, idOf = (row) => row.id } = source;
  const pages = trackReading(source.pages, promptContext.reading);
  const several = takesSeveral(need);
  try {
    const records = await context.prompter.pick({
      message,
      pages,
      columns,
      several,
      ...(order && { order }),
    });
    if (records.length === 0 && filter.verb !== 'restore') throw createNothingToPickError(kind, filter);
    for (const { row, words } of records) picked.set(toText(idOf(row)), { words, columns });
    return records.length === 0
      ? askForId(promptContext, message)
      : records.map(({ row }) => toText(idOf(row)));
  } catch (error) {
    if (error instanceof ApiError && error.exit === EXIT.forbidden) return askForId(promptContext, message);
    throw error;
  }
};

const askOne = async (promptContext: PromptContext, need: MissingInput): Promise<void> => {
  const { invocation, context, calendar, answers } = promptContext;
  const kind = findPickableKind(invocation.command, need);
  const { source, binding } = need;
  const values =
    kind === undefined
      ? await promptForValue(context.prompter, {
          source,
          binding,
          given: listGivenValues(invocation),
          calendar,
        })
      : await pickOne(promptContext, need, kind);
  applyAnswer(invocation, source, values, answers);
};

/** The fields of an update, of which any will do: first which, then each. */
const askChanges = async (promptContext: PromptContext): Promise<void> => {
  const { invocation, context } = promptContext;
  const { operation, flags } = invocation.command;
  const fields = operation === undefined ? [] : listChangeable(operation);
  const rows = flags
    .filter(({ binding }) => fields.includes(binding?.name ?? ''))
    .map((flag) => ({
      id: formatLongFlag(flag),
      about: describeMissingValue(toMissingInput(flag)).label,
      flag,
    }));
  async function* pages() {
    yield { rows, total: rows.length };
  }
  const columns = [{ field: 'about' }, { field: 'id', drop: 1 }];
  const chosen = await context.prompter.pick({
    message: 'what to change',
    pages: pages(),
    columns,
    several: true,
  });
  for (const { row } of chosen) await askChange(promptContext, row.flag as Flag);
};

/** A switch that cannot be negated is not asked about: choosing it sets it. */
const askChange = async (promptContext: PromptContext, flag: Flag): Promise<void> => {
  const { invocation, answers } = promptContext;
  if (flag.value === undefined && !acceptsSwitchValue(invocation, flag, 'no'))
    return applyAnswer(invocation, flag, ['yes'], answers);
  return askOne(promptContext, toMissingInput(flag));
};

const hasValue = (invocation: Invocation, { source }: MissingInput): boolean => {
  const raw = listGiven(invocation).find((one) => one.source === source)?.raw;
  return raw !== undefined && !(Array.isArray(raw) && raw.length === 0);
};

/**
 * Asks for each need in turn; what one answer brings with it is not asked for again.
 * @throws UsageError for what was given and is wrong, before the first question; Cancelled
 */
export const promptForMissing = async (
  needs: readonly Need[],
  promptContext: PromptContext,
): Promise<void> => {
  checkFlags(promptContext.invocation, promptContext.calendar);
  await promptContext.precheck();
  for (const need of needs) {
    if (need.what === 'changes') await askChanges(promptContext);
    else if (!hasValue(promptContext.invocation, need)) await askOne(promptContext, need);
  }
};
