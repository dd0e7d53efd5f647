import type { ApiCall } from '../api/client.ts';
import { findKindOfNoun, isArchived, isNamedKind, PEOPLE, type RecordFacts } from '../api/fields.ts';
import { getIdName, type Operation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import type { Change, Write } from '../changes/change.ts';
import { type Command, type CommandNode, defineCommand, type Group, type Noun } from '../cli/command.ts';
import { FILTERS } from '../cli/flag.ts';
import { UsageError } from '../errors.ts';
import type { Column } from '../output/list-view.ts';
import { placeholder } from '../parsing/shell-word.ts';
import { createNameColumn, createRecordColumns } from '../resources/columns.ts';
import { type Columns, isCommand, type Resource, type VerbOf } from '../resources/define.ts';
import type { FindId, Names } from '../resources/names.ts';
import type { Run } from '../run.ts';
import { defineDecisionCommand, findIdsOf, startWrite } from './decide.ts';
import { checkArchive, checkFilters, findRow } from './filters.ts';
import { allFlags, listFlags, readFlags, targetFlags, variadic, writeFlags } from './flags.ts';

/** The commands of a resource: each verb is a function over the resource and a row of the operation table. */

/** @param others commands of the noun that are none of the resource */
export function defineNoun(noun: Noun, resource: Resource, others: readonly CommandNode[] = []): Group {
  const commands = Object.entries(resource.verbs).map(([name, verb]) =>
    isCommand(verb) ? verb : createCommand(resource, resource.operations[name] as Operation, verb),
  );
  return { ...noun, commands: [...commands, ...others] };
}

function createCommand(resource: Resource, operation: Operation, verb: VerbOf<string>): Command {
  switch (verb.does) {
    case 'list':
      return createList(resource, operation, verb);
    case 'get':
      return createGet(resource, operation, verb);
    case 'create':
      return createCreation(resource, operation, verb);
    case 'update':
      return createUpdate(resource, operation, verb);
    case 'archive':
      return createArchive(resource, operation, verb);
    case 'restore':
      return defineTargetsCommand(resource, operation, verb, () => ({ verb: ['restore', 'restored'] }));
    case 'delete':
      return createDelete(resource, operation, verb);
    case 'decide':
      return defineDecisionCommand(resource, operation, verb);
    case 'assign':
      return createAssignment(resource, operation, verb);
    case 'assign-members':
      return createMembersAssignment(resource, operation, verb);
    case 'act':
      return createAct(resource, operation, verb);
  }
}

function createList(
  { record, operations, filters }: Resource,
  operation: Operation,
  { examples, flags = [], columns, words = record.words[1] }: VerbOf<'list'>,
): Command {
  const own = operation === operations.list ? filters : [];
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    flags: [...listFlags(operation), ...own, ...flags],
    run: async (context, { values }) => {
      const { names, output, window } = context;
      const pages = context.call(operation, values).pages(window);
      await output.list(pages, { noun: words, columns: resolveColumns(columns, names, values) });
    },
  });
}

function createGet(
  resource: Resource,
  operation: Operation,
  { examples, flags = [], columns, only }: VerbOf<'get'>,
): Command {
  const { record: facts } = resource;
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    positionals: [{ name: getTargetName(facts), about: describeTarget(facts), required: true }],
    flags: [...readFlags(operation), ...flags],
    run: async (context, { values, targets: [target = ''] }) => {
      const { names, output } = context;
      const resolve = createResolver(context, facts);
      if (resolve === undefined) callFor(context, operation, target, values).check('written');
      const find = resolve ?? createShortIdFinder(context, resource);
      const id = (await find?.(target)) ?? target;
      const record = (await callFor(context, operation, id, values).send()).data ?? {};
      const known = resolveColumns(columns, names, values);
      await output.record(record, only ? known : createRecordColumns(record, known));
    },
  });
}

function createCreation({ record }: Resource, operation: Operation, verb: VerbOf<'create'>): Command {
  const { examples, positionals = [], flags = [], likeness, target, once, columns, remark, hint } = verb;
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    positionals,
    flags: [...targetFlags(operation, likeness), ...flags],
    run: (context, { values, options }) =>
      startWrite(context, options, {
        verb: verb.verb ?? ['create', 'created'],
        noun: record.words,
        values,
        call: (_, row) => context.call(operation, row),
        columns: resolveColumns(columns, context.names, values),
        recordHint: (made) =>
          hint === undefined ? formatRemoval(context, operation, made) : hint(context, made, values),
        ...(remark && { remark }),
        ...(once && { once }),
        ...(target !== undefined && { target: (row) => row[target] as string | undefined }),
      }),
  });
}

/** How what was made is taken away again. */
function formatRemoval({ commandLine }: Run, { undo }: Operation, { id }: Row): string {
  return undo?.kind === 'removal'
    ? `Undo with: ${commandLine`ttctl ${undo.by.split('.')} ${id ?? placeholder('id')}`}`
    : '';
}

function createUpdate(
  resource: Resource,
  operation: Operation,
  { examples, flags = [], remark }: VerbOf<'update'>,
): Command {
  const { record } = resource;
  const name = getTargetName(record);
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    positionals: [{ name, about: describeTarget(record), required: false }],
    flags: [...targetFlags(operation), ...flags],
    run: (context, { values, targets: [given], options }) => {
      const findId = createShortIdFinder(context, resource);
      return startWrite(context, options, {
        verb: ['update', 'updated'],
        noun: record.words,
        values,
        record: { name, given },
        resolve: createResolver(context, record),
        call: (id, row) => callFor(context, operation, id, row),
        ...(remark && { remark }),
        ...(findId && { findId }),
      });
    },
  });
}

function createArchive(resource: Resource, operation: Operation, verb: VerbOf<'archive'>): Command {
  const { record, operations, label } = resource;
  const { list, get } = operations as { readonly list: Operation; readonly get: Operation };
  const {
    examples,
    flags = [],
    except = '',
    within,
    ready = (row) => !isArchived(row),
    columns,
    findWarnings,
  } = verb;
  const [one] = record.words;
  const filters = resource.filters.filter(({ binding }) => binding.name !== within);
  const names = filters.map(({ binding }) => binding.name);
  const place = within === undefined ? '' : ' of the project';
  const own = [
    ...flags,
    ...filters.map((flag) => ({ ...flag, group: FILTERS })),
    ...allFlags(`every ${one}${place} that the filters match${except}`),
  ];
  const describe = (run: Run, values: Values, options: Options): PartOfWrite => {
    const action = `archive every ${one}`;
    if (within === undefined) checkArchive(run, names, values, options, action);
    else checkFilters(names, values, options, action);
    const sent = within === undefined ? {} : { [within]: values[within] };
    return {
      values: sent,
      verb: ['archive', 'archived'],
      needsConfirmation: true,
      all: {
        list: () => run.call(list, values),
        ready,
        columns: columns?.(run) ?? label(run.names),
        row: async (id) => (await callFor(run, get, id, sent).send()).data ?? undefined,
      },
      next: (ids) => formatWayBack(run, record, operation, verb, ids),
      ...(operation.undo?.kind === 'none' && { facts: [`${describeNoRestore(record)}.`] }),
      ...(findWarnings && {
        findWarnings: (changes: readonly Change[]) => findWarnings(run, changes),
        alwaysWarns: true,
      }),
    };
  };
  const details = { aliases: ['delete'], list };
  return defineTargetsCommand(resource, operation, { examples, flags: own }, describe, details);
}

/** No such operation is documented (docs/service.md, Soft deletes). */
function describeNoRestore({ words: [, many] }: RecordFacts): string {
  return `The API has no restore for ${many}`;
}

function formatWayBack(
  run: Run,
  record: RecordFacts,
  { undo }: Operation,
  { instead = () => 'To restore it, use the web app of the service.' }: VerbOf<'archive'>,
  ids: readonly string[],
): string {
  return undo?.kind === 'opposite'
    ? `Undo with: ${run.commandLine`ttctl ${undo.by.split('.')} ${ids.slice(0, 5)}`}`
    : `${describeNoRestore(record)}. ${instead(run)}`;
}

function createAssignment(resource: Resource, operation: Operation, verb: VerbOf<'assign'>): Command {
  return defineTargetsCommand(resource, operation, verb, (context, values) => ({
    verb: verb.verb,
    facts: verb.facts(values),
    hint: (ids) => verb.hint(context, ids, values),
  }));
}

function createDelete(resource: Resource, operation: Operation, verb: VerbOf<'delete'>): Command {
  const { list, get } = resource.operations;
  const readRow = async (context: Run, id: string): Promise<Row | undefined> => {
    if (get !== undefined) return (await callFor(context, get, id, {}).send()).data ?? undefined;
    return list && findRow(context.call(list, { id }).pages(), id);
  };
  return defineTargetsCommand(resource, operation, verb, (context) => ({
    verb: ['delete', 'deleted'],
    needsConfirmation: true,
    facts: ['This cannot be undone.'],
    shown: { columns: resource.label(context.names), row: (id) => readRow(context, id) },
  }));
}

type Options = Readonly<Record<string, unknown>>;
type PartOfWrite = Partial<Write> & Pick<Write, 'verb'>;

/** A write to each of the records that are named. */
function defineTargetsCommand(
  resource: Resource,
  operation: Operation,
  { examples, flags = [] }: Pick<VerbOf<'delete'>, 'examples' | 'flags'>,
  describe: (run: Run, values: Values, options: Options) => PartOfWrite,
  details: Partial<Pick<Command, 'aliases' | 'list'>> = {},
): Command {
  const { record } = resource;
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    ...details,
    prints: { shape: 'results' },
    positionals: [variadic(getTargetName(record), describeTargets(record))],
    flags: [...targetFlags(operation), ...flags],
    run: (context, { values, targets, options }) => {
      const findId = createShortIdFinder(context, resource);
      return startWrite(context, options, {
        targets,
        values,
        noun: record.words,
        resolve: createResolver(context, record),
        call: (id, row) => callFor(context, operation, id, row),
        ...(findId && { findId }),
        ...describe(context, values, options),
      });
    },
  });
}

/** One record and the members who are put on it or taken off it: a request for each member. */
function createMembersAssignment(
  { record }: Resource,
  operation: Operation,
  { examples, flags = [], verb, kind, hint }: VerbOf<'assign-members'>,
): Command {
  const [one] = record.words;
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    prints: { shape: 'results' },
    // A row of a file puts one member on one record, so it names both.
    input: { target: ['member', 'email'], plain: [one] },
    positionals: [{ name: one, about: `id of the ${one}`, required: false }],
    flags: [
      ...targetFlags(operation),
      ...flags,
      {
        name: 'member',
        value: 'member',
        about: `member to ${verb[0]} (id or e-mail); repeat it, separate with commas, or use - to read from stdin; required`,
        repeatable: true,
        needed: { kind },
      },
    ],
    run: async (context, { values: given, targets: [named], options }) => {
      const values: Values = given;
      const { lookUps, names } = context;
      const isAlone = options.fromFile === undefined;
      const targets = splitMembers(options.member);
      if (isAlone && named === undefined) throw createMissingError(`<${one}>`);
      if (isAlone && targets.length === 0) throw createMissingError('--member');
      const { project_id: project } = values;
      // The targets of the results are the members as they were written.
      await startWrite(context, options, {
        targets,
        values,
        verb,
        noun: ['member', 'members'],
        facts: [
          ...(project === undefined ? [] : [`project    ${project}`]),
          ...(named === undefined ? [] : [`${one.padEnd(11)}${named}`]),
        ],
        resolve: (target, among) => lookUps.find('member', target, among),
        shown: { columns: [createNameColumn(names.member, 'user_id', 'member')] },
        call(userId, { [one]: ofRow, ...row }) {
          const id = (ofRow as string | undefined) ?? named;
          if (id === undefined) throw createMissingError(one);
          return callFor(context, operation, id, { ...row, userId });
        },
        hint: () => hint(context, named, values),
      });
    },
  });
}

function splitMembers(members: readonly string[] = []): readonly string[] {
  return members
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function createMissingError(name: string): UsageError {
  return new UsageError(`missing ${name}`, { code: 'missing_value' });
}

function createAct(
  { record }: Resource,
  operation: Operation,
  { examples, flags = [], verb, columns }: VerbOf<'act'>,
): Command {
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    flags: [...writeFlags(operation), ...flags],
    run: (context, { values, options }) =>
      startWrite(context, options, {
        verb,
        noun: record.words,
        values,
        call: (_, row) => context.call(operation, row),
        target: () => record.words[0],
        columns,
      }),
  });
}

/** The call of an operation for the record with this id. */
export function callFor(run: Run, operation: Operation, id: string, values: Values): ApiCall<Row> {
  return run.call(operation, { ...values, [getIdName(operation)]: id });
}

/** How a record is named in place of its id; undefined where only the id names it. */
function createResolver({ lookUps }: Run, { noun }: RecordFacts): FindId | undefined {
  const kind = findKindOfNoun(noun);
  return kind !== undefined && isNamedKind(kind)
    ? (target, among) => lookUps.find(kind, target, among)
    : undefined;
}

/** Finds ids by their beginnings, as tables show long ones; undefined where ids are numbers. */
function createShortIdFinder(run: Run, { record, operations: { list }, label }: Resource) {
  if (record.fields.id?.type !== 'string' || list === undefined) return undefined;
  return findIdsOf(run, () => run.lists.pages(run.call(list, {})), label(run.names));
}

function toPath({ id }: Operation): string {
  return id.replace('.', ' ');
}

function resolveColumns(columns: Columns, names: Names, values: Values): readonly Column[] {
  return typeof columns === 'function' ? columns(names, values) : columns;
}

/** What a positional for one record is called. */
function getTargetName({ words: [one], fields }: RecordFacts): string {
  return fields.id?.type === 'string' ? 'id' : one;
}

function describeTarget({ noun, words: [one] }: RecordFacts): string {
  const kind = findKindOfNoun(noun);
  if (kind === undefined || !isNamedKind(kind)) return `id of the ${one}`;
  return PEOPLE.has(kind) ? 'id, e-mail address or full name' : 'id or full name';
}

function describeTargets({ noun, words: [, many] }: RecordFacts): string {
  const kind = findKindOfNoun(noun);
  if (kind === undefined || !isNamedKind(kind)) return `ids of ${many}, or - to read them from stdin`;
  return `ids${PEOPLE.has(kind) ? ', e-mail addresses' : ''} or full names, or - to read them from stdin`;
}
