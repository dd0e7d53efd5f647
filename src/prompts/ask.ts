import type { Api } from '../api/client.ts';
import { RESTORED } from '../api/fields.ts';
import type { Parameter } from '../api/operation.ts';
import { collectRows } from '../api/page.ts';
import { listChangeable } from '../api/plan.ts';
import { type Flag, formatLongFlag, hasFlag, isFlag, listGiven, type Positional } from '../cli/flag.ts';
import { listChoiceWords } from '../commands/flags.ts';
import type { Need } from '../commands/needs.ts';
import { type Calendar, checkFlags, checkGiven, listGivenValues } from '../commands/values.ts';
import { ApiError, EXIT, Failure, UsageError } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import type { Prompter } from '../output/prompt.ts';
import type { Run } from '../run.ts';
import type { PromptedAnswers } from './answers.ts';
import { findPickableKind, getWords, type PickableKind, readSource } from './records.ts';

/** Asks a person for what a command line leaves out, and gives it to the command as if it had been typed. */

/**
 * Asks for each need in turn; what one answer brings with it is not asked for again.
 * @param precheck throws a Failure for what is sure to be refused
 * @throws UsageError for what was given and is wrong, before the first question; Cancelled
 */
export async function askForNeeds(
  run: Run,
  needs: readonly Need[],
  precheck: () => Promise<void>,
): Promise<void> {
  const { invocation, calendar } = run;
  checkFlags(invocation, calendar);
  await precheck();
  for (const need of needs) {
    if (need === 'changes') await askChanges(run);
    else if ([findRaw(run, need) ?? []].flat().length === 0) await askOne(run, need);
  }
}

function findRaw({ invocation }: Run, source: Flag | Positional): unknown {
  return listGiven(invocation).find((given) => given.source === source)?.raw;
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

/** The fields of an update, of which any will do: first which, then each. */
async function askChanges(run: Run): Promise<void> {
  const { invocation, prompter, answers } = run;
  const { operation, flags } = invocation.command;
  const fields = operation === undefined ? [] : listChangeable(operation);
  const rows = flags
    .filter(({ binding }) => fields.includes(binding?.name ?? ''))
    .map((flag) => ({ id: formatLongFlag(flag), about: describeValue(flag).label, flag }));
  const columns = [{ field: 'about' }, { field: 'id', drop: 1 }];
  const chosen = await prompter.pick({ message: 'what to change', rows, columns, several: true });
  for (const { row } of chosen) {
    const flag = row.flag as Flag;
    // A switch that has no other side is not asked about: choosing it sets it.
    if (flag.value === undefined && !hasFlag(invocation.command, `no-${flag.name}`))
      answers.give(invocation, flag, ['yes']);
    else await askOne(run, flag);
  }
}

async function askOne(run: Run, source: Flag | Positional): Promise<void> {
  const kind = findPickableKind(run.invocation.command, source);
  const values =
    kind === undefined ? await promptForValue(run, source) : await pickRecords(run, source, kind);
  run.answers.give(run.invocation, source, values);
}

/** A verb as it is said of what it is done to. */
const VERBS: Readonly<Record<string, string>> = { get: 'show', assignees: 'view' };

async function pickRecords(
  run: Run,
  source: Flag | Positional,
  kind: PickableKind,
): Promise<readonly string[]> {
  const { invocation, prompter, picked } = run;
  const { name: verb, from, operation } = invocation.command;
  const [one, many] = getWords(kind);
  const several = (isFlag(source) ? source.repeatable : source.variadic) === true;
  const done = VERBS[verb] ?? verb;
  const message = isFlag(source) ? describeValue(source).label : `${several ? many : one} to ${done}`;
  const findOther = async (name: string, required: boolean): Promise<string | undefined> => {
    const other = listGiven(invocation)
      .map((given) => given.source)
      .find(({ binding, name: own }) => (binding?.name ?? own) === name);
    if (other === undefined) return undefined;
    if (required && findRaw(run, other) === undefined) await askOne(run, other);
    const [text] = [findRaw(run, other)].flat();
    if (text === undefined) return undefined;
    const lookup = other.binding?.lookup;
    return lookup === undefined ? String(text) : run.lookUps.find(lookup, String(text));
  };
  try {
    const { rows, columns, id } = await readSource(run, kind, findOther);
    if (rows.length > 0) {
      const records = await prompter.pick({ message, rows, columns, several, sorts: kind !== 'job' });
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
  return [await prompter.text(message, { help: 'its id, or another name the command accepts' })];
}

/**
 * A value that is no record: a choice, a day, a number, a text. What is asked is checked as a flag would be.
 * @returns the texts that the flag or positional would have been given; `yes` or `no` for a switch
 */
export async function promptForValue(
  { prompter, calendar, invocation }: Pick<Run, 'prompter' | 'calendar' | 'invocation'>,
  source: Flag | Positional,
): Promise<readonly string[]> {
  const { binding, offers } = source;
  const { label, more } = describeValue(source);
  const { type = 'text', on } = binding?.parameter ?? {};
  const isSwitch = type === 'boolean' || on !== undefined;
  const choices = isSwitch ? ['yes', 'no'] : listChoiceWords(source);
  if (choices.length > 0) return [await prompter.choose(label, choices)];
  const isList = type.endsWith('[]');
  if (offers !== undefined) {
    const rows = offers.map((id) => ({ id }));
    const columns = [{ field: 'id' }];
    const picked = await prompter.pick({ message: label, rows, columns, several: isList });
    return picked.map(({ row }) => toText(row.id));
  }
  const form = binding === undefined ? '' : describeFormat(binding.parameter, calendar);
  const help = [more, form].filter((part) => part !== '').join('; ');
  const check = (text: string): string | undefined => {
    if (binding === undefined) return undefined;
    // Days come after each other.
    const others = listGivenValues(invocation).filter((other) => other.binding.name !== binding.name);
    const one = { binding, raw: isList ? [text] : text, where: '' };
    const problem = checkGiven([...others, one], calendar).problems[0]?.message.replace(/^: /, '');
    return problem && `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}.`;
  };
  const answer = await prompter.text(label, { help, check });
  if (!isFlag(source) && source.variadic) return answer.split(/\s+/);
  if (binding === undefined || !type.startsWith('date')) return [answer];
  // As it will still mean the same tomorrow: a day for `today`.
  const [value] = checkGiven([{ binding, raw: answer, where: '' }], calendar).values;
  return [String(value?.known ?? answer)];
}

function describeFormat({ type, min, max }: Parameter, { timeZone }: Calendar): string {
  if (type === 'date') return 'a date: 2026-11-20, today, yesterday or -7d';
  if (type === 'datetime') return `2026-11-20T09:00 in ${timeZone()}, or with an offset: +01:00`;
  if (!type.startsWith('integer') && type !== 'number') return '';
  const range = max === undefined ? (min === undefined ? '' : `, ${min} or more`) : ` from ${min} to ${max}`;
  return `a ${type === 'number' ? '' : 'whole '}number${range}`;
}

const MAX_LABEL = 40;

/** What is asked for in a few words, and what else there is to say of it. */
function describeValue({ name, about: help, binding }: Flag | Positional) {
  // Beyond a bracket or a semicolon help says how the value is written, which is not a person's business here.
  const about = binding?.parameter.about ?? help.replace(/( \(|;).*$/, '');
  const isShort = about.length <= MAX_LABEL && !/[,:;(]/.test(about);
  const words = name.replace(/^no-/, '').replace(/[-_]/g, ' ');
  return isShort ? { label: about, more: '' } : { label: words, more: about };
}
