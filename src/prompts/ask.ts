import type { Api } from '../api/client.ts';
import { RESTORED } from '../api/fields.ts';
import { collectRows } from '../api/page.ts';
import { listChangeable } from '../api/plan.ts';
import { type Flag, formatLongFlag, hasFlag, type Invocation, isFlag, listGiven } from '../cli/flag.ts';
import type { MissingInput, Need } from '../commands/needs.ts';
import type { Calendar } from '../commands/values.ts';
import { checkFlags, listGivenValues } from '../commands/values.ts';
import type { Context } from '../context.ts';
import { ApiError, EXIT, Failure, UsageError } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import type { Prompter } from '../output/prompt.ts';
import type { PickedWords } from '../output/questions.ts';
import type { PromptedAnswers } from './answers.ts';
import { findPickableKind, KINDS, type PickableKind, type PickFilter, readSource } from './records.ts';
import { describeMissingValue, promptForValue } from './values.ts';

/** Asks a person for what a command line leaves out, and gives it to the command as if it had been typed. */

export interface PromptContext {
  readonly invocation: Invocation;
  readonly context: Context;
  readonly calendar: Calendar;
  readonly answers: PromptedAnswers;
  /** What was picked, by id. */
  readonly picked: Map<string, PickedWords>;
  /** @throws Failure for what is sure to be refused */
  readonly precheck: () => Promise<void>;
}

/** A verb as it is said of what it is done to. */
const VERBS: Readonly<Record<string, string>> = { get: 'show', assignees: 'view' };

/**
 * Asks for each need in turn; what one answer brings with it is not asked for again.
 * @throws UsageError for what was given and is wrong, before the first question; Cancelled
 */
export async function askForNeeds(needs: readonly Need[], prompting: PromptContext): Promise<void> {
  checkFlags(prompting.invocation, prompting.calendar);
  await prompting.precheck();
  for (const need of needs) {
    if (need.what === 'changes') await askChanges(prompting);
    else if (!hasValue(prompting.invocation, need)) await askOne(prompting, need);
  }
}

/** Lets a person choose the workspace of this run, where none is set and there are several. */
export async function askForWorkspace(
  api: Api,
  prompter: Prompter,
  answers: PromptedAnswers,
): Promise<number> {
  const rows = await collectRows(api.workspaces.list({}).pages());
  const columns = [{ field: 'workspace_name' }, { field: 'role', drop: 1 }, { field: 'id', drop: 2 }];
  const [picked] =
    rows.length < 2
      ? rows.map((row) => ({ row }))
      : await prompter.pick({ message: 'workspace', rows, columns });
  if (picked === undefined)
    throw new Failure('this account has no workspaces', { code: 'not_found', exit: EXIT.notFound });
  answers.chooseWorkspace(toNumber(picked.row.id));
  return toNumber(picked.row.id);
}

function hasValue(invocation: Invocation, { source }: MissingInput): boolean {
  const raw = listGiven(invocation).find((one) => one.source === source)?.raw;
  return raw !== undefined && !(Array.isArray(raw) && raw.length === 0);
}

/** The fields of an update, of which any will do: first which, then each. */
async function askChanges(prompting: PromptContext): Promise<void> {
  const { invocation, context, answers } = prompting;
  const { operation, flags } = invocation.command;
  const fields = operation === undefined ? [] : listChangeable(operation);
  const rows = flags
    .filter(({ binding }) => fields.includes(binding?.name ?? ''))
    .map((flag) => ({ id: formatLongFlag(flag), about: describeMissingValue(toMissing(flag)).label, flag }));
  const columns = [{ field: 'about' }, { field: 'id', drop: 1 }];
  const chosen = await context.prompter.pick({ message: 'what to change', rows, columns, several: true });
  for (const { row } of chosen) {
    const flag = row.flag as Flag;
    // A switch that has no other side is not asked about: choosing it sets it.
    if (flag.value === undefined && !hasFlag(invocation.command, `no-${flag.name}`))
      answers.give(invocation, flag, ['yes']);
    else await askOne(prompting, toMissing(flag));
  }
}

function toMissing(source: MissingInput['source']): MissingInput {
  return { what: 'value', source, binding: source.binding };
}

async function askOne(prompting: PromptContext, need: MissingInput): Promise<void> {
  const { invocation, context, calendar, answers } = prompting;
  const kind = findPickableKind(invocation.command, need);
  const { source, binding } = need;
  const given = listGivenValues(invocation);
  const values =
    kind === undefined
      ? await promptForValue(context.prompter, { source, binding, given, calendar })
      : await pickRecords(prompting, need, kind);
  answers.give(invocation, source, values);
}

async function pickRecords(
  prompting: PromptContext,
  need: MissingInput,
  kind: PickableKind,
): Promise<readonly string[]> {
  const { invocation, context, picked } = prompting;
  const { name: verb, from, operation } = invocation.command;
  const [one, many] = KINDS[kind].words;
  const several = (isFlag(need.source) ? need.source.repeatable : need.source.variadic) === true;
  const done = VERBS[verb] ?? verb;
  const message = isFlag(need.source)
    ? describeMissingValue(need).label
    : `${several ? many : one} to ${done}`;
  try {
    const { rows, columns, id } = await readSource(context, kind, createFilter(prompting));
    if (rows.length > 0) {
      const records = await context.prompter.pick({ message, rows, columns, several });
      for (const { row, words } of records) picked.set(toText(row[id]), { words, columns });
      return records.map(({ row }) => toText(row[id]));
    }
    if (operation?.moves?.to !== RESTORED)
      throw new UsageError(`there is no ${from === undefined ? one : `${from} ${one}`} to ${done}`, {
        code: 'nothing_to_pick',
        reason: `None of the ${many} match.`,
      });
  } catch (error) {
    if (!(error instanceof ApiError) || error.exit !== EXIT.forbidden) throw error;
  }
  // The list cannot be read, or does not have it.
  return [await context.prompter.text(message, { help: 'its id, or another name the command accepts' })];
}

/** What a record of one kind needs to know of others: the tasks of which project, the contracts of whom. */
function createFilter(prompting: PromptContext): PickFilter {
  const { invocation, context } = prompting;
  const { name: verb, from, operation } = invocation.command;
  const find = (name: string) =>
    listGiven(invocation).find(({ source }) => (source.binding?.name ?? source.name) === name);
  return {
    verb,
    operation,
    flags: invocation.options,
    from,
    async value(name, required) {
      const given = find(name);
      if (given === undefined) return undefined;
      if (required && given.raw === undefined) await askOne(prompting, toMissing(given.source));
      const raw = find(name)?.raw;
      if (raw === undefined) return undefined;
      const text = String(Array.isArray(raw) ? raw[0] : raw);
      const lookup = given.source.binding?.lookup;
      return lookup === undefined ? text : context.lookUps.find(lookup, text);
    },
  };
}
