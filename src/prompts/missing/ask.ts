import type { ListPage } from '../../api/page.ts';
import { listChangeable } from '../../api/plan.ts';
import type { Command } from '../../cli/command.ts';
import { type Flag, formatLongFlag, isFlag } from '../../cli/flag.ts';
import { type Invocation, listGiven } from '../../cli/invocation.ts';
import type { Calendar } from '../../commands/convert.ts';
import type { MissingInput, Need } from '../../commands/needs.ts';
import { checkFlags, listGivenValues } from '../../commands/values.ts';
import type { Context, NamedKind } from '../../context.ts';
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
  readonly asked: PromptedAnswers;
  /** What was picked, by id. */
  readonly picked: Map<string, readonly string[]>;
  /** The lists that are being read. */
  readonly reading: Set<object>;
  /** @throws Failure for what is sure to be refused */
  readonly ready: () => Promise<void>;
}

/** A verb as it is said of what it is done to. */
const SAID: Readonly<Record<string, string>> = { get: 'show', assignees: 'view' };

const severalOf = ({ source }: MissingInput): boolean =>
  (isFlag(source) ? source.repeatable : source.variadic) === true;

const messageOf = (need: MissingInput, kind: PickableKind, command: Command): string => {
  if (isFlag(need.source)) return describeMissingValue(need).label;
  const verb = command.name;
  return `${PICKABLE_WORDS[kind][severalOf(need) ? 1 : 0]} to ${SAID[verb] ?? verb}`;
};

const nothingOf = (kind: PickableKind, { from, verb }: PickFilter): UsageError => {
  const [one, many] = PICKABLE_WORDS[kind];
  const which = from === undefined ? one : `${from} ${one}`;
  return new UsageError(`there is no ${which} to ${SAID[verb] ?? verb}`, {
    code: 'nothing_to_pick',
    reason: `None of the ${many} match.`,
  });
};

/** The value of a parameter or positional as it stands on the command line, or as it was answered. */
const givenNamed = (invocation: Invocation, name: string) =>
  listGiven(invocation).find(({ source }) => (source.binding?.name ?? source.name) === name);

/** What a record of one kind needs to know of others: the tasks of which project, the contracts of whom. */
const wishOf = (asking: PromptContext): PickFilter => {
  const { invocation, context } = asking;
  const { name: verb, from } = invocation.command;
  return {
    verb,
    flags: invocation.options,
    from,
    async value(name, must) {
      const found = givenNamed(invocation, name);
      if (found === undefined) return undefined;
      if (must && found.raw === undefined) await askOne(asking, missing(found.source));
      const raw = givenNamed(invocation, name)?.raw;
      if (raw === undefined) return undefined;
      const text = String(Array.isArray(raw) ? raw[0] : raw);
      const lookup: NamedKind | undefined = found.source.binding?.lookup;
      return lookup === undefined ? text : context.lookUps.find(lookup, text);
    },
  };
};

const missing = (source: MissingInput['source']): MissingInput => ({
  what: 'value',
  source,
  binding: source.binding,
});

/** Who may not see the list can still name what is in it. */
const typedId = async ({ context }: PromptContext, message: string): Promise<readonly string[]> => [
  await context.prompter.text(message, { help: 'its id, or another name the command accepts' }),
];

/** Known to be read until its end is reached. */
async function* noted(pages: AsyncIterable<ListPage>, reading: Set<object>): AsyncGenerator<ListPage> {
  reading.add(pages);
  try {
    yield* pages;
  } finally {
    reading.delete(pages);
  }
}

const pickOne = async (
  asking: PromptContext,
  need: MissingInput,
  kind: PickableKind,
): Promise<readonly string[]> => {
  const { invocation, context, picked } = asking;
  const wish = wishOf(asking);
  const message = messageOf(need, kind, invocation.command);
  const source: PickSource = await createPickSource(kind, context, wish);
  const { columns, order, idOf = (row) => row.id } = source;
  const pages = noted(source.pages, asking.reading);
  const several = severalOf(need);
  try {
    const found = await context.prompter.pick({ message, pages, columns, several, ...(order && { order }) });
    if (found.length === 0 && wish.verb !== 'restore') throw nothingOf(kind, wish);
    for (const { row, words } of found) picked.set(toText(idOf(row)), words);
    return found.length === 0 ? typedId(asking, message) : found.map(({ row }) => toText(idOf(row)));
  } catch (error) {
    if (error instanceof ApiError && error.exit === EXIT.forbidden) return typedId(asking, message);
    throw error;
  }
};

const askOne = async (asking: PromptContext, need: MissingInput): Promise<void> => {
  const { invocation, context, calendar, asked } = asking;
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
      : await pickOne(asking, need, kind);
  applyAnswer(invocation, source, values, asked);
};

/** The fields of an update, of which any will do: first which, then each. */
const askChanges = async (asking: PromptContext): Promise<void> => {
  const { invocation, context } = asking;
  const { operation, flags } = invocation.command;
  const fields = operation === undefined ? [] : listChangeable(operation);
  const rows = flags
    .filter(({ binding }) => fields.includes(binding?.name ?? ''))
    .map((flag) => ({ id: formatLongFlag(flag), about: describeMissingValue(missing(flag)).label, flag }));
  async function* pages() {
    yield { rows, total: rows.length };
  }
  const columns = [{ field: 'about' }, { field: 'id', drop: 1 }];
  const found = await context.prompter.pick({
    message: 'what to change',
    pages: pages(),
    columns,
    several: true,
  });
  for (const { row } of found) await askChange(asking, row.flag as Flag);
};

/** A switch that has one side only says all by being chosen. */
const askChange = async (asking: PromptContext, flag: Flag): Promise<void> => {
  const { invocation, asked } = asking;
  if (flag.value === undefined && !acceptsSwitchValue(invocation, flag, 'no'))
    return applyAnswer(invocation, flag, ['yes'], asked);
  return askOne(asking, missing(flag));
};

const isThere = (invocation: Invocation, { source }: MissingInput): boolean => {
  const raw = listGiven(invocation).find((one) => one.source === source)?.raw;
  return raw !== undefined && !(Array.isArray(raw) && raw.length === 0);
};

/**
 * Asks for each need in turn; what one answer brings with it is not asked for again.
 * @throws UsageError for what was given and is wrong, before the first question; Cancelled
 */
export const promptForMissing = async (needs: readonly Need[], asking: PromptContext): Promise<void> => {
  checkFlags(asking.invocation, asking.calendar);
  await asking.ready();
  for (const need of needs) {
    if (need.what === 'changes') await askChanges(asking);
    else if (!isThere(asking.invocation, need)) await askOne(asking, need);
  }
};
