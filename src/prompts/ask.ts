import type { Api } from '../api/client.ts';
import { RESTORED } from '../api/fields.ts';
import type { Parameter } from '../api/operation.ts';
import { collectRows } from '../api/page.ts';
import { listChangeable } from '../api/plan.ts';
import {
  type Binding,
  type Flag,
  formatLongFlag,
  hasFlag,
  type Invocation,
  isFlag,
  listGiven,
  type Positional,
} from '../cli/flag.ts';
import { listChoices } from '../commands/flags.ts';
import type { MissingInput, Need } from '../commands/needs.ts';
import {
  type Calendar,
  checkFlags,
  checkGiven,
  type GivenValue,
  listGivenValues,
} from '../commands/values.ts';
import { ApiError, EXIT, Failure, UsageError } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import type { Prompter } from '../output/prompt.ts';
import type { PickedWords } from '../output/questions.ts';
import type { Run } from '../run.ts';
import type { PromptedAnswers } from './answers.ts';
import { findPickableKind, KINDS, type PickableKind, type PickFilter, readSource } from './records.ts';

/** Asks a person for what a command line leaves out, and gives it to the command as if it had been typed. */

export interface PromptContext {
  readonly invocation: Invocation;
  readonly context: Run;
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

/** Values that are no records: choices, days, numbers, texts. What is asked is checked as a flag would be. */

interface MissingValue {
  readonly source: Flag | Positional;
  readonly binding: Binding | undefined;
  /** Answered before: days come after each other. */
  readonly given: readonly GivenValue[];
  readonly calendar: Calendar;
}

/** @returns the texts that the flag or positional would have been given; `yes` or `no` for a switch */
export async function promptForValue(prompter: Prompter, missing: MissingValue): Promise<readonly string[]> {
  const { source, binding, calendar } = missing;
  const { label, more } = describeMissingValue(missing);
  const parameter = binding?.parameter;
  const isSwitch = parameter?.type === 'boolean' || parameter?.on !== undefined;
  const fixed = parameter === undefined ? isFlag(source) && source.choices : listChoices(parameter);
  const choices = isSwitch ? ['yes', 'no'] : fixed || [];
  if (choices.length > 0) return [await prompter.choose(label, choices)];
  if (source.offers !== undefined) {
    const rows = source.offers.map((id) => ({ id }));
    const several = parameter?.type.endsWith('[]') === true;
    const picked = await prompter.pick({ message: label, rows, columns: [{ field: 'id' }], several });
    return picked.map(({ row }) => toText(row.id));
  }
  const form = parameter === undefined ? '' : describeFormat(parameter, calendar);
  const help = [more, form].filter((part) => part !== '').join('; ');
  const answer = await prompter.text(label, { help, check: (text) => findProblem(text, missing) });
  if (!isFlag(source) && source.variadic) return answer.split(/\s+/);
  return [toLastingValue(answer, missing)];
}

const MAX_LABEL = 40;

/** What is asked for in a few words, and what else there is to say of it. */
function describeMissingValue({ source, binding }: Pick<MissingValue, 'source' | 'binding'>) {
  // Beyond a bracket or a semicolon help says how the value is written, which is not a person's business here.
  const about = binding?.parameter.about ?? source.about.replace(/( \(|;).*$/, '');
  const short = about.length <= MAX_LABEL && !/[,:;(]/.test(about);
  const name = source.name.replace(/^no-/, '').replace(/[-_]/g, ' ');
  return short ? { label: about, more: '' } : { label: name, more: about };
}

function describeFormat({ type, min, max }: Parameter, { timeZone }: Calendar): string {
  if (type === 'date') return 'a date: 2026-11-20, today, yesterday or -7d';
  if (type === 'datetime') return `2026-11-20T09:00 in ${timeZone()}, or with an offset: +01:00`;
  if (!type.startsWith('integer') && type !== 'number') return '';
  const range = max === undefined ? (min === undefined ? '' : `, ${min} or more`) : ` from ${min} to ${max}`;
  return `a ${type === 'number' ? '' : 'whole '}number${range}`;
}

/** Why the text cannot be the value; `undefined` when it can. */
function findProblem(raw: string, { binding, given, calendar }: MissingValue): string | undefined {
  if (binding === undefined) return undefined;
  const list = binding.parameter.type.endsWith('[]');
  const one: GivenValue = { binding, raw: list ? [raw] : raw, where: '' };
  const others = given.filter((other) => other.binding.name !== binding.name);
  const text = checkGiven([...others, one], calendar).problems[0]?.message.replace(/^: /, '');
  return text && `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** The value as it will still mean the same tomorrow: a day for `today`. */
function toLastingValue(raw: string, { binding, calendar }: MissingValue): string {
  if (binding === undefined || !binding.parameter.type.startsWith('date')) return raw;
  const [value] = checkGiven([{ binding, raw, where: '' }], calendar).values;
  return String(value?.known ?? raw);
}
