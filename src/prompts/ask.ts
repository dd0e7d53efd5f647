import { isArchived, isInState, RESTORED } from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import { findOperation } from '../api/operations.ts';
import { collectRows, type ListPage, type Row, toPages } from '../api/page.ts';
import { isPersonText, listChangeable } from '../api/plan.ts';
import {
  findKindOfNoun,
  getListId,
  hasLeft,
  isNamedKind,
  KINDS,
  member,
  type RecordKind,
} from '../api/records.ts';
import { listJobRows, listLastRuns } from '../changes/jobs.ts';
import { RunStore } from '../changes/store.ts';
import {
  type CommandRecord,
  type Flag,
  formatLongFlag,
  getOptionKey,
  hasFlag,
  isFlag,
  isNegated,
  listGiven,
  type Positional,
} from '../cli/flag.ts';
import { listChoiceWords } from '../commands/flags.ts';
import { checkFlags, checkGiven, listGivenValues, type Need } from '../commands/values.ts';
import { ApiError, EXIT, Failure, UsageError } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { personColumn } from '../resources/columns.ts';
import type { Resource } from '../resources/define.ts';
import { RESOURCES } from '../resources/resources.ts';
import type { Run } from '../run.ts';

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
  await findTargets(run);
  for (const need of needs) {
    if (need === 'changes') await askChanges(run);
    else if ([findRaw(run, need) ?? []].flat().length === 0) await askOne(run, need);
  }
}

/** Who cannot be found is told before the first question. What is found is known from then on, and costs nothing more. */
async function findTargets({ invocation: { command, operands }, lookUps }: Run): Promise<void> {
  const { noun, path } = command.operation ?? {};
  // What is created or invited is not there yet.
  if (!path?.includes('{')) return;
  const own = findKindOfNoun(noun ?? '');
  const named = own !== undefined && isNamedKind(own) ? own : undefined;
  // A decision names the record, or its member.
  const isDecision = command.from !== undefined;
  const kind = isDecision ? 'member' : named;
  const texts = operands.flat().flatMap((text) => (text === undefined || text === '-' ? [] : text));
  const names = isDecision ? texts.filter(isPersonText) : texts;
  if (kind !== undefined) for (const text of names) await lookUps.find(kind, text, names);
}

function findRaw({ invocation }: Run, source: Flag | Positional): unknown {
  return listGiven(invocation).find((given) => given.source === source)?.raw;
}

const WORKSPACE_COLUMNS = [{ field: 'workspace_name' }, { field: 'role' }, { field: 'id' }];

/** Lets a person choose the workspace of this run, where none is set and there are several. */
export async function askForWorkspace({ api, prompter, output, commandLine }: Run): Promise<number> {
  const rows = await collectRows(api.workspaces.list({}).pages());
  const pick = () => prompter.pick({ message: 'workspace', rows, columns: WORKSPACE_COLUMNS });
  const [picked] = rows.length < 2 ? rows.map((row) => ({ row })) : await pick();
  if (picked === undefined)
    throw new Failure('this account has no workspaces', { code: 'not_found', exit: EXIT.notFound });
  const id = toNumber(picked.row.id);
  output.note(commandLine`To make this workspace the default: ttctl workspaces use ${id}`);
  return id;
}

/** The fields of an update, of which any will do: first which, then each. */
async function askChanges(run: Run): Promise<void> {
  const { invocation, prompter } = run;
  const { operation, flags } = invocation.command;
  const fields = operation === undefined ? [] : listChangeable(operation);
  const rows = flags
    .filter(({ binding }) => fields.includes(binding?.name ?? ''))
    .map((flag) => ({ id: formatLongFlag(flag), about: describeValue(flag).label, flag }));
  const columns = [{ field: 'about' }, { field: 'id' }];
  const chosen = await prompter.pick({ message: 'what to change', rows, columns, several: true });
  for (const { row } of chosen) {
    const flag = row.flag as Flag;
    // A switch that has no other side is not asked about: choosing it sets it.
    if (flag.value === undefined && !hasFlag(invocation.command, `no-${flag.name}`))
      giveAnswer(run, flag, ['yes']);
    else await askOne(run, flag);
  }
}

async function askOne(run: Run, source: Flag | Positional): Promise<void> {
  const kind = findPickableKind(run.invocation.command, source);
  const values =
    kind === undefined ? await promptForValue(run, source) : await pickRecords(run, source, kind);
  giveAnswer(run, source, values);
}

function giveAnswer({ invocation }: Run, source: Flag | Positional, values: readonly string[]): void {
  const { command, operands, options } = invocation;
  if (!isFlag(source)) {
    operands[command.positionals.indexOf(source)] = source.variadic === true ? [...values] : values[0];
    return;
  }
  const key = getOptionKey(source);
  const before = options[key];
  if (source.value === undefined) options[key] = (values[0] === 'yes') !== isNegated(source);
  else if (source.repeatable !== true) options[key] = values.at(-1);
  else options[key] = [...(Array.isArray(before) ? before : []), ...values];
}

const VERBS: Readonly<Record<string, string>> = { get: 'show', assignees: 'view' };

async function pickRecords(
  run: Run,
  source: Flag | Positional,
  kind: PickableKind,
): Promise<readonly string[]> {
  const { invocation, prompter, picked } = run;
  const { name: verb, from, operation } = invocation.command;
  const [one, many] = kind in OTHERS ? OTHERS[kind as keyof typeof OTHERS] : KINDS[kind as RecordKind].words;
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
    const source = await openSource(run, kind, findOther);
    const { columns, keep = () => true, id = 'id' } = source;
    const read: Row[] = [];
    await run.watch.during(
      () => `reading ${many}: ${read.length}`,
      async () => {
        for await (const page of source.pages) for (const row of page.rows) read.push(row);
      },
    );
    const rows = read.filter(keep);
    if (rows.length > 0) {
      const records = await prompter.pick({
        message,
        rows,
        columns,
        several,
        sorts: kind !== 'job' && kind !== 'entry',
      });
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
async function promptForValue(run: Run, source: Flag | Positional): Promise<readonly string[]> {
  const { prompter, calendar, invocation } = run;
  const { binding, offers } = source;
  const { label, more } = describeValue(source);
  const { type = 'text', on } = binding?.parameter ?? {};
  const isSwitch = type === 'boolean' || on !== undefined;
  const choices = isSwitch ? ['yes', 'no'] : listChoiceWords(source);
  if (choices.length > 0) return [await prompter.choose(label, choices)];
  const isList = type.endsWith('[]');
  if (offers !== undefined) {
    const offered = { rows: offers.map((id) => ({ id })), columns: [{ field: 'id' }] };
    const picked = await prompter.pick({ message: label, ...offered, several: isList });
    return picked.map(({ row }) => toText(row.id));
  }
  const check = (text: string): string | undefined => {
    if (binding === undefined) return undefined;
    // Days come after each other.
    const others = listGivenValues(invocation).filter((other) => other.binding.name !== binding.name);
    const one = { binding, raw: isList ? [text] : text, where: '' };
    const problem = checkGiven([...others, one], calendar).problems[0]?.message.replace(/^: /, '');
    return problem && `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}.`;
  };
  const answer = await prompter.text(label, { help: more, check });
  return !isFlag(source) && source.variadic ? answer.split(/\s+/) : [answer];
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

/** The value of another parameter or positional of the command; asked for when it is missing and required. */
type FindOther = (name: string, required: boolean) => Promise<string | undefined>;

interface Source {
  readonly pages: AsyncIterable<ListPage>;
  readonly columns: readonly Column[];
  readonly keep?: (row: Row) => boolean;
  /** The field with what a command line calls the record. Default: its `id`. */
  readonly id?: string;
}

const OTHERS = {
  assignee: member.words,
  profile: ['profile', 'profiles'],
  job: ['job', 'jobs'],
  entry: ['write', 'writes'],
} as const;

const LAST_WRITES = 10;

type PickableKind = RecordKind | keyof typeof OTHERS;

/** `undefined`: it is no record but a value. */
function findPickableKind(command: CommandRecord, source: Flag | Positional): PickableKind | undefined {
  const { binding, needed, name } = source;
  const isKind = (word: string | undefined): word is PickableKind =>
    word !== undefined && (Object.hasOwn(KINDS, word) || Object.hasOwn(OTHERS, word));
  if (isFlag(source) || binding !== undefined || needed !== undefined) {
    const parameter = /^(contract|task)_id$/.exec(binding?.name ?? '')?.[1];
    return [binding?.lookup, parameter, needed?.kind].find(isKind);
  }
  const [noun = '', ...below] = command.path.split(' ');
  // A noun below a noun has records of its own.
  if (below.length > 1) return undefined;
  return [name === 'id' && command.operation !== undefined ? findKindOfNoun(noun) : name].find(isKind);
}

async function openSource(run: Run, kind: PickableKind, findOther: FindOther): Promise<Source> {
  const { api, lists, invocation } = run;
  const { name: verb, from, operation } = invocation.command;
  if (kind === 'assignee') {
    const taskId = toText(await findOther('task', true));
    const projectId = toNumber(await findOther('project_id', true));
    const call = api.tasks.assignees({ taskId, project_id: projectId });
    return { pages: call.pages(), columns: [personColumn, { field: 'email' }], id: 'user_id' };
  }
  if (kind === 'profile') {
    const names = new Set([...Object.keys(run.settingsStore.read().profiles), 'sandbox']);
    return { pages: toPages([...names].map((id) => ({ id }))), columns: [{ field: 'id' }] };
  }
  if (kind === 'entry') {
    const columns: Column[] = [
      { field: 'record' },
      { field: 'time', kind: 'age' },
      { field: 'final' },
      { field: 'did' },
    ];
    return { pages: toPages(listLastRuns(new RunStore(run), LAST_WRITES)), columns };
  }
  if (kind === 'job') {
    const columns: Column[] = [
      { field: 'id' },
      { field: 'state', kind: 'state' },
      { field: 'started_at', kind: 'age' },
      { field: 'command' },
    ];
    const keep = (row: Row) => verb !== 'resume' || row.state !== 'done';
    return { pages: toPages(listJobRows(new RunStore(run))), keep, columns };
  }
  const list = findOperation(getListId(kind)) as Operation;
  if (kind === 'category' || kind === 'policy' || kind === 'workspace') {
    const columns = kind === 'workspace' ? WORKSPACE_COLUMNS : [{ field: 'name' }];
    return { pages: lists.pages(run.api.call(list, {})), columns };
  }
  const record = KINDS[kind];
  const resource = (await RESOURCES[record.noun]?.()) as Resource;
  const values: Record<string, unknown> = { status: record.states?.find((word) => word === from) };
  // Other values of the command narrow it: the tasks of which project, the contracts of whom.
  for (const parameter of ['user_id', 'project_id'].filter((one) => one in list.parameters)) {
    const value = await findOther(parameter, list.parameters[parameter]?.required === true);
    if (value !== undefined) values[parameter] = toNumber(value);
  }
  const own = resource.verbs[verb];
  const archive = own !== undefined && !('path' in own) && own.does === 'archive' ? own : undefined;
  // An archived one can only be restored or looked at; restoring is for archived ones alone.
  const isGone = kind === 'viewer' ? hasLeft : isArchived;
  const isRead = operation?.returns === 'record' && operation.method === 'GET';
  const isReady =
    archive?.ready ?? ((row: Row) => isRead || isGone(row) === (operation?.moves?.to === RESTORED));
  return {
    pages: lists.pages(run.api.call(list, values)),
    columns: archive?.columns ?? resource.label(run.names),
    keep: (row: Row) => (from === undefined || isInState(record, row, from)) && isReady(row),
  };
}
