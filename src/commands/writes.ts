import { isInState } from '../api/fields.ts';
import { listMeant } from '../api/lists.ts';
import type { Operation } from '../api/operation.ts';
import { collectRows, type ListPage, type Row } from '../api/page.ts';
import { isPersonText, type Values } from '../api/plan.ts';
import { findKindOfNoun, isNamedKind } from '../api/records.ts';
import type { Change, Selection, Write } from '../changes/change.ts';
import { createLook } from '../changes/look.ts';
import { MAX_UNDO_IDS } from '../changes/report.ts';
import { createIdFinder } from '../changes/select.ts';
import { write } from '../changes/write.ts';
import type { Command } from '../cli/command.ts';
import { FINAL, getUserId, type InboxKind } from '../decide/item.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { maskAddress } from '../http/redact.ts';
import { toText } from '../json.ts';
import { lazy } from '../lazy.ts';
import { placeholder } from '../parsing/shell-word.ts';
import { createNameColumn } from '../resources/columns.ts';
import { type Resource, resolveColumns, type Verb, type VerbOf } from '../resources/define.ts';
import type { Run } from '../run.ts';
import { CHOOSING, NARROWING } from './rows.ts';

/** What the verbs of a resource write, handed to the one path that writes. */

type Given = Parameters<Command['run']>[1];

type Work = Partial<Write> & Pick<Write, 'verb'>;

export async function runVerb(
  run: Run,
  resource: Resource,
  operation: Operation,
  verb: Verb,
  given: Given,
): Promise<void> {
  const { values, options } = given;
  const call: Write['call'] = (id, row) =>
    run.api.call(operation, id === '' ? row : { ...row, [operation.idName]: id });
  const { project_id: project, reason, comment } = values;
  // What the person will read; the rows of a file have their own.
  const named = run.invocation.options.project ?? project;
  const inProject = named === project ? project : `${toText(named)} (${toText(project)})`;
  const facts = Object.entries({ project: inProject, reason, comment }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name.padEnd(11)}${toText(value)}`,
  );
  const { undo } = operation;
  const final = undo?.kind === 'none' ? `This cannot be undone: ${undo.why}.` : undefined;
  const work = { final, ...describeWork(run, resource, operation, verb, given) };
  await write(run, options, {
    ...{ noun: resource.record.words, values, call, ...work },
    facts: [...facts, ...(work.facts ?? []), ...(work.final === undefined ? [] : [work.final])],
  });
}

function describeWork(run: Run, resource: Resource, operation: Operation, verb: Verb, given: Given): Work {
  const { record, label } = resource;
  const { values, targets } = given;
  if (verb.does === 'decide') return decide(run, resource, operation, given);
  const found = findRecords(run, resource);
  switch (verb.does) {
    case 'create': {
      const { once, target } = verb;
      return {
        verb: verb.verb ?? ['create', 'created'],
        columns: resolveColumns(verb.columns, run.names, values),
        recordHint({ id, user_id }) {
          if (operation.undo?.kind !== 'removal') return '';
          const made = id ?? user_id ?? placeholder('id');
          return `Undo with: ${run.commandLine`ttctl ${operation.undo.by.split('.')} ${made}`}`;
        },
        ...(once && { once }),
        ...(target !== undefined && {
          target(row) {
            const said = row[target] as string | undefined;
            return target === 'url' && said !== undefined ? maskAddress(said) : said;
          },
        }),
      };
    }
    case 'act':
      return { verb: verb.verb, target: () => record.words[0], columns: verb.columns };
    case 'assign-members':
      return assignMembers(run, resource, operation, verb, given);
    case 'update': {
      const [positional] = run.invocation.command.positionals;
      return {
        ...found,
        verb: ['update', 'updated'],
        record: { name: positional?.name ?? '', given: targets[0] },
      };
    }
    case 'restore':
      return { ...found, targets, verb: ['restore', 'restored'] };
    case 'assign':
      return { ...found, targets, verb: verb.verb, hint: (ids) => formatUndo(run, operation, ids, values) };
    case 'delete':
      return {
        ...found,
        targets,
        verb: ['delete', 'deleted'],
        needsConfirmation: true,
        final: 'This cannot be undone.',
        shown: { columns: label(run.names), row: (id) => readRow(run, resource, { id }) },
      };
    case 'archive':
      return { ...found, targets, ...archive(run, resource, operation, verb, given) };
    default:
      throw new TypeError(`${operation.id} writes nothing`);
  }
}

/** How the ids of records are found: by names, or by their beginnings, as tables show long ones. */
export function findRecords(run: Run, { record, operations: { list } }: Resource): Partial<Write> {
  const kind = findKindOfNoun(record.noun);
  if (kind !== undefined && isNamedKind(kind))
    return { resolve: (target, among) => run.lookUps.find(kind, target, among) };
  if (record.fields.id?.type !== 'string' || list === undefined) return {};
  return { findId: createIdFinder(run, () => run.lists.pages(run.api.call(list, {}))) };
}

/** One record. Some have a list alone; a service that does not know its filter by id gives others too. */
async function readRow(
  run: Run,
  { operations: { list, get } }: Resource,
  { id, ...values }: Values & { readonly id: string },
): Promise<Row | undefined> {
  if (get !== undefined)
    return (await run.api.call(get, { ...values, [get.idName]: id }).send()).data ?? undefined;
  const pages: AsyncIterable<ListPage> | [] =
    list === undefined ? [] : run.api.call(list, { ...values, id }).pages();
  for await (const page of pages) return page.rows.find((row) => toText(row.id) === id);
  return undefined;
}

/** @param member ids of the members who were put on the one record, or taken off it */
function formatUndo(
  { commandLine }: Run,
  { undo, joins }: Operation,
  ids: readonly string[],
  { project_id: project, member }: Values = {},
): string | undefined {
  // Rows of a file have projects of their own.
  if (undo?.kind !== 'opposite' || (joins === true && project === undefined)) return undefined;
  const [words, targets] = [undo.by.split('.'), ids.slice(0, MAX_UNDO_IDS)];
  if (project === undefined) return `Undo with: ${commandLine`ttctl ${words} ${targets}`}`;
  return member === undefined
    ? `Undo with: ${commandLine`ttctl ${words} ${targets} --project ${project}`}`
    : `Undo with: ${commandLine`ttctl ${words} ${targets} --project ${project} --member ${member}`}`;
}

function assignMembers(
  run: Run,
  { record }: Resource,
  operation: Operation,
  { verb }: VerbOf<'assign-members'>,
  { values, targets: [named], options }: Given,
): Work {
  const [one] = record.words;
  const members = ((options.member ?? []) as readonly string[])
    .flatMap((text) => text.split(','))
    .flatMap((text) => text.trim() || []);
  const missing = (name: string) => new UsageError(`missing ${name}`, { code: 'missing_value' });
  if (options.fromFile === undefined && named === undefined) throw missing(`<${one}>`);
  return {
    // The targets of the results are the members as they were written.
    targets: members,
    verb,
    noun: ['member', 'members'],
    facts: named === undefined ? [] : [`${one.padEnd(11)}${named}`],
    resolve: (target, among) => run.lookUps.find('member', target, among),
    shown: { columns: [createNameColumn(run.names, 'user_id')] },
    call(userId, { [one]: ofRow, ...row }) {
      const id = ofRow ?? named;
      if (id === undefined) throw missing(one);
      return run.api.call(operation, { ...row, userId, [operation.idName]: id });
    },
    hint: (ids) => named && formatUndo(run, operation, [named], { ...values, member: ids.join(',') }),
  };
}

function archive(
  run: Run,
  resource: Resource,
  operation: Operation,
  verb: VerbOf<'archive'>,
  { values, options }: Given,
): Work {
  const { record, operations, label } = resource;
  const { list } = operations as { readonly list: Operation };
  const { within, ready = (row) => resource.archived.test(row) !== true, columns } = verb;
  const { findWarnings, refuses, endContracts } = verb;
  const [one, many] = record.words;
  const names = resource.filters.map(({ binding }) => binding.name).filter((name) => name !== within);
  const action = `archive every ${one}`;
  checkFilters(names, values, options, action);
  // `--all` without a filter would be the whole workspace, which is seldom meant where it is hard to take back.
  const isFiltered = ['maxChanges', ...NARROWING].some((name) => options[name] !== undefined);
  const isBounded = within !== undefined || isFiltered || names.some((name) => values[name] !== undefined);
  const isRead = run.settings.dryRun.value || options.fromFile !== undefined;
  if (options.all === true && !isBounded && !isRead)
    throw new UsageError(`--all without a filter would ${action} of the workspace`, {
      hint: 'Add a filter, or set a limit with --max-changes. Use --dry-run to preview.',
    });
  const sent = within === undefined ? {} : { [within]: values[within] };
  // No such operation is documented (docs/service.md, Soft deletes).
  const noRestore = `The API has no restore for ${many}. To restore one, use the web app of the service.`;
  return {
    values: sent,
    verb: ['archive', 'archived'],
    needsConfirmation: true,
    all: {
      list: () => run.api.call(list, values),
      ready,
      columns: columns ?? label(run.names),
      row: (id) => readRow(run, resource, { ...sent, id }),
    },
    ...(options.endContracts === true
      ? { noun: [one, `${many} and contracts`] as const }
      : { next: (ids: readonly string[]) => formatUndo(run, operation, ids) ?? noRestore }),
    ...(refuses && {
      async extend(selection) {
        await checkRefused(run, selection, refuses);
        return options.endContracts === true && endContracts ? endContracts(run, selection) : selection;
      },
    }),
    ...(operation.undo?.kind === 'none' && { final: `This cannot be undone here. ${noRestore}` }),
    ...(findWarnings && {
      findWarnings: (changes: readonly Change[]) => findWarnings(run, changes),
      alwaysWarns: true,
    }),
  };
}

/** @throws UsageError for a record that stays. They are looked at before their writes in any case. */
async function checkRefused(
  run: Run,
  { changes, knownResults }: Selection,
  refuses: (row: Row) => string | undefined,
) {
  if (!run.settings.dryRun.value) await run.session.checkWriteScope();
  const left = changes.filter(({ n }) => knownResults?.has(n) !== true);
  const calls = left.map(({ call }) => call);
  const look = await createLook(run, calls);
  for (const { call, before } of left) {
    const { record = {} } = (await look(call, before)) ?? {};
    const why = refuses(record);
    if (why !== undefined) throw new UsageError(why, { hint: 'Nothing was sent.' });
  }
}

/** Moves records from one state to another, by name or all that a list finds: approve, reject … */
function decide(
  run: Run,
  resource: Resource,
  operation: Operation,
  { targets, values, options }: Given,
): Work {
  const { record, label } = resource;
  const { list } = resource.operations as { readonly list: Operation };
  const { from = '', past = '' } = operation.moves ?? {};
  const verb = [operation.id.split('.')[1] ?? '', past] as const;
  const [one, many] = record.words;
  const kind = findKindOfNoun(record.noun) as InboxKind;
  // Of members who are named the filters tell apart the records.
  const byName = targets.length > 0 && targets.every(isPersonText);
  const names = byName ? [] : Object.keys(list.parameters);
  checkFilters(names, values, options, `${verb[0]} every ${from} ${one}`);
  if (values.status !== undefined && values.status !== from)
    throw new UsageError(`only ${from} ${many} can be ${past}`, {
      hint: `Omit --status, or use --status ${from}.`,
    });
  const all = {
    list: () => run.api.call(list, { ...values, status: from }),
    ready: (row: Row) => isInState(record, row, from),
    columns: label(run.names),
    row: (id: string) => readRow(run, { ...resource, operations: { list } }, { id }),
  };
  const readAll = lazy(() => collectRows(listMeant(run.lists.once(all.list()), all.ready, run.output.warn)));
  // Whether nothing takes it back: one record alone asks too.
  const isFinal = operation.undo?.kind === 'none';
  return {
    targets,
    verb,
    needsConfirmation: isFinal,
    ...(isFinal && { final: FINAL }),
    findId: createIdFinder(run, () => run.lists.pages(all.list())),
    all,
    hint: (ids) =>
      formatUndo(run, operation, ids) ??
      `See the rest: ${run.commandLine`ttctl ${record.noun} list --status ${from}`}`,
    isName: isPersonText,
    // A member's record, if exactly one is meant. The list is read once, whatever the number of targets.
    async resolve(target, among) {
      if (!isPersonText(target)) return target;
      const memberId = await run.lookUps.find('member', target, among?.filter(isPersonText));
      const rows = (await readAll()).filter((row) => toText(getUserId(row)) === memberId);
      return toText((await pickOne(run, resource, { verb: verb[0], from, rows }, target)).id);
    },
    ...(isFinal && {
      async findWarnings(changes: readonly Change[]) {
        const { findWarnings } = await import('../decide/load.ts');
        return findWarnings(run, kind, changes);
      },
    }),
  };
}

/** A record of those that have a list alone, by its id or its member. @throws Failure (exit 5), UsageError */
export async function findListed(run: Run, resource: Resource, text: string, values: Values): Promise<Row> {
  const { noun, words } = resource.record;
  const { list } = resource.operations as { readonly list: Operation };
  if (!isPersonText(text)) {
    const id = (await findRecords(run, resource).findId?.(text)) ?? text;
    const row = await readRow(run, resource, { id });
    if (row !== undefined) return row;
    const hint = `List them: ${run.commandLine`ttctl ${noun} list`}`;
    throw new Failure(`no ${words[0]} "${text}"`, { code: 'not_found', exit: EXIT.notFound, hint });
  }
  const memberId = await run.lookUps.find('member', text);
  const all = await run.lists.rows(run.api.call(list, values));
  const rows = all.filter((row) => toText(getUserId(row)) === memberId);
  return pickOne(run, resource, { verb: 'show', from: '', rows }, text);
}

/** The record of a member; of several a person picks it. */
async function pickOne(
  { prompter, output, names, commandLine }: Run,
  { record, label }: Resource,
  { verb, from, rows }: { readonly verb: string; readonly from: string; readonly rows: readonly Row[] },
  text: string,
): Promise<Row> {
  const [one, many] = record.words;
  const [first, ...others] = rows;
  const state = from && `${from} `;
  if (first === undefined)
    throw new Failure(`"${text}" has no ${state}${one} that matches`, {
      code: 'not_found',
      exit: EXIT.notFound,
      hint: from
        ? `See all: ${commandLine`ttctl ${record.noun} list --status ${from} --member ${text}`}`
        : `See all: ${commandLine`ttctl ${record.noun} list --member ${text}`}`,
    });
  if (others.length === 0) return first;
  if (!prompter.available) {
    const words = await output.inWords(rows, label(names));
    throw new UsageError(`"${text}" has ${rows.length} ${state}${many}`, {
      code: 'ambiguous',
      reason: words.map((cells) => cells.filter(Boolean).join('  ')).join('\n'),
      hint: 'Name one by its id, or narrow them down with --period.',
    });
  }
  // There is no room for whole ids, and nobody needs them to point at a line.
  const columns = label(names).filter(({ field }) => field !== 'id');
  const message = `${one} of "${text}" to ${verb}`;
  const [picked] = await prompter.pick({ message, rows, columns });
  return picked?.row ?? first;
}

/** Filters beside named targets would be without effect, and the person believes in them. */
function checkFilters(names: readonly string[], values: Values, options: Given['options'], action: string) {
  if (options.all === true) return;
  const choosing = CHOOSING.find((name) => options[name] !== undefined);
  if (choosing === undefined && names.every((name) => values[name] === undefined)) return;
  throw new UsageError(choosing === undefined ? 'filters need --all' : `--${choosing} needs --all`, {
    hint: `To ${action} that matches, use --all; try it first with --all --dry-run`,
  });
}
