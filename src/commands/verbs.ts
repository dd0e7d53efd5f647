import { callOperation } from '../api/calls.ts';
import type { Api, ApiCall } from '../api/client.ts';
import { ARCHIVE, RESTORE, type Resource } from '../api/fields.ts';
import { isNamedKind, PEOPLE, type RecordKind } from '../api/kinds.ts';
import type { Operation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import type { Change, ChangeWarnings } from '../changes/change.ts';
import { createIdFinder } from '../changes/select.ts';
import { write } from '../changes/write.ts';
import { type Command, defineCommand } from '../cli/command.ts';
import { FILTERS, type Flag, type Positional } from '../cli/flag.ts';
import type { Context, FindId, Names } from '../context.ts';
import type { Column } from '../output/list-view.ts';
import { createRecordColumns } from '../resources/display/columns.ts';
import { checkArchive, checkFilters } from './filters.ts';
import { listFlags, readFlags, variadic, type WithBinding } from './flags.ts';
import { allFlags, targetFlags } from './target-flags.ts';

/** The verbs that several resources have: each makes a command from a row of the operation table. */

type Columns = readonly Column[] | ((names: Names, values: Values) => readonly Column[]);

interface Verb {
  readonly examples: readonly string[];
  /** Beside those that the verb has everywhere. */
  readonly flags?: readonly Flag[];
}

/** The call of an operation for the record with this id. */
export function callFor(api: Api, operation: Operation, id: string, values: Values): ApiCall<Row> {
  const [, name = ''] = /\{(\w+)\}/.exec(operation.path) ?? [];
  return callOperation(api, operation)({ ...values, [name]: id });
}

/** How a record is named in place of its id; undefined where only the id names it. */
export function createResolver({ lookUps }: Context, { words: [one] }: Resource): FindId | undefined {
  const kind = one as RecordKind;
  return isNamedKind(kind) ? (target, among) => lookUps.find(kind, target, among) : undefined;
}

/** @param list what is printed, in the plural */
export function defineListing(
  operation: Operation,
  list: string,
  { examples, flags = [], columns, id }: Verb & { readonly columns: Columns; readonly id?: string },
): Command {
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    flags: [...listFlags(operation), ...flags],
    run: async ({ api, names, output, window }, { values }) => {
      const view = { noun: list, columns: resolveColumns(columns, names, values) };
      await output.list(
        callOperation(api, operation)(values).pages(window),
        id === undefined ? view : { ...view, id },
      );
    },
  });
}

export function defineGet(
  operation: Operation,
  resource: Resource,
  { examples, flags = [], columns }: Verb & { readonly columns: Columns },
): Command {
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    positionals: [{ name: resource.words[0], about: describeTarget(resource), required: true }],
    flags: [...readFlags(operation), ...flags],
    run: async (context, { values, targets: [target = ''] }) => {
      const resolve = createResolver(context, resource);
      const call = callFor(context.api, operation, (await resolve?.(target)) ?? target, values);
      if (resolve === undefined) call.check('written');
      const record = (await call.send()).data ?? {};
      const known = resolveColumns(columns, context.names, values);
      await context.output.record(record, createRecordColumns(record, known));
    },
  });
}

interface CreateVerb extends Verb {
  readonly verb?: readonly [imperative: string, past: string];
  readonly positionals?: readonly Positional[];
  /** In what a record is the like of another; absent: no `--if-missing`. */
  readonly alike?: string;
  /** The parameter that the result calls the new record by. */
  readonly target?: string;
  /** Whether two rows for the same target are a mistake in the file. */
  readonly once?: true;
  readonly columns: Columns;
  readonly remark?: (values: Values) => string | undefined;
  /** The next useful command. */
  readonly hint: (context: Context, record: Row, values: Values) => string;
}

export function defineCreate(operation: Operation, resource: Resource, verb: CreateVerb): Command {
  const { examples, positionals = [], flags = [], alike, target, once, columns, remark, hint } = verb;
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    positionals,
    flags: [...targetFlags(operation, alike), ...flags],
    run: (context, { values, options }) =>
      write(context, options, {
        verb: verb.verb ?? ['create', 'created'],
        noun: resource.words,
        values,
        call: (_, row) => callOperation(context.api, operation)(row),
        columns: resolveColumns(columns, context.names, values),
        recordHint: (record) => hint(context, record, values),
        ...(remark && { remark }),
        ...(once && { once }),
        ...(target !== undefined && { target: (row) => row[target] as string | undefined }),
      }),
  });
}

interface UpdateVerb extends Verb {
  readonly remark?: (values: Values) => string | undefined;
  /** Where beginnings of ids are looked for. */
  readonly ids?: { readonly list: Operation; readonly columns: readonly Column[] };
}

export function defineUpdate(
  operation: Operation,
  resource: Resource,
  { examples, flags = [], remark, ids }: UpdateVerb,
): Command {
  const name = ids === undefined ? resource.words[0] : 'id';
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    positionals: [{ name, about: describeTarget(resource), required: false }],
    flags: [...targetFlags(operation), ...flags],
    run: (context, { values, targets: [given], options }) =>
      write(context, options, {
        verb: ['update', 'updated'],
        noun: resource.words,
        values,
        record: { name, given },
        resolve: createResolver(context, resource),
        call: (id, row) => callFor(context.api, operation, id, row),
        ...(remark && { remark }),
        ...(ids && { findId: createListIdFinder(context, ids.list, ids.columns) }),
      }),
  });
}

/** Finds ids by their beginnings, in a list of the service. */
export function createListIdFinder(context: Context, list: Operation, columns: readonly Column[]) {
  return createIdFinder(context, () => context.lists.pages(callOperation(context.api, list)({})), columns);
}

interface ArchiveVerb extends Verb {
  readonly list: Operation;
  readonly get: Operation;
  readonly filters: readonly (Flag & WithBinding)[];
  /** What `--all` means, beside the filters. */
  readonly except?: string;
  /** A filter that every request needs; it bounds `--all`. */
  readonly within?: string;
  readonly ready: (row: Row) => boolean;
  /** Of the question. */
  readonly columns: (context: Context) => readonly Column[];
  /** Where it cannot be restored: what to do in place of it. */
  readonly instead?: (context: Context) => string;
  readonly findWarnings?: (context: Context, changes: readonly Change[]) => Promise<ChangeWarnings>;
}

export function defineArchive(operation: Operation, resource: Resource, verb: ArchiveVerb): Command {
  const { examples, list, get, filters, flags = [], except = '', within, ready, columns, instead } = verb;
  const { findWarnings } = verb;
  const [one, many] = resource.words;
  // No such operation is documented (docs/service.md, Soft deletes).
  const noRestore = `The API has no restore for ${many}`;
  const names = filters.map(({ binding }) => binding.name);
  const place = within === undefined ? '' : ' of the project';
  return defineCommand({
    path: toPath(operation),
    aliases: ['delete'],
    operation,
    list,
    examples,
    positionals: [variadic(one, describeTargets(resource))],
    flags: [
      ...targetFlags(operation),
      ...flags,
      ...filters.map((flag) => ({ ...flag, group: FILTERS })),
      ...allFlags(`every ${one}${place} that the filters match${except}`),
    ],
    run: async (context, { values: given, targets, options }) => {
      const values: Values = given;
      const action = `archive every ${one}`;
      if (within === undefined) checkArchive(context, names, values, options, action);
      else checkFilters(names, values, options, action);
      const { api, commandLine } = context;
      const sent = within === undefined ? {} : { [within]: values[within] };
      await write(context, options, {
        targets,
        values: sent,
        verb: ARCHIVE,
        noun: resource.words,
        needsConfirmation: true,
        resolve: createResolver(context, resource),
        call: (id, row) => callFor(api, operation, id, row),
        all: {
          list: () => callOperation(api, list)(values),
          ready,
          columns: columns(context),
          row: async (id) => (await callFor(api, get, id, sent).send()).data ?? undefined,
        },
        next: (ids) =>
          instead === undefined
            ? `Undo with: ${commandLine`ttctl ${resource.noun} restore ${ids.slice(0, 5)}`}`
            : `${noRestore}. ${instead(context)}`,
        ...(instead && { facts: [`${noRestore}.`] }),
        ...(findWarnings && {
          findWarnings: (changes: readonly Change[]) => findWarnings(context, changes),
          alwaysWarns: true,
        }),
      });
    },
  });
}

export function defineRestore(operation: Operation, resource: Resource, { examples }: Verb): Command {
  return defineCommand({
    path: toPath(operation),
    operation,
    examples,
    positionals: [variadic(resource.words[0], describeTargets(resource))],
    flags: targetFlags(operation),
    run: (context, { targets, options }) =>
      write(context, options, {
        targets,
        verb: RESTORE,
        noun: resource.words,
        resolve: createResolver(context, resource),
        call: (id) => callFor(context.api, operation, id, {}),
      }),
  });
}

/** @param row one record, for the question */
export function defineDelete(
  operation: Operation,
  { words, noun }: Resource,
  list: Operation,
  columns: readonly Column[],
  row: (api: Api, id: string) => Promise<Row | undefined>,
): Command {
  return defineCommand({
    path: toPath(operation),
    operation,
    examples: [`ttctl ${noun} delete 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b`],
    positionals: [variadic('id', `ids of ${words[1]}, or - to read them from stdin`)],
    flags: targetFlags(operation),
    run: (context, { targets, options }) =>
      write(context, options, {
        targets,
        verb: ['delete', 'deleted'],
        noun: words,
        needsConfirmation: true,
        facts: ['This cannot be undone.'],
        findId: createListIdFinder(context, list, columns),
        call: (id) => callFor(context.api, operation, id, {}),
        shown: { columns, row: (id) => row(context.api, id) },
      }),
  });
}

function toPath({ id }: Operation): string {
  return id.replace('.', ' ');
}

function resolveColumns(columns: Columns, names: Names, values: Values): readonly Column[] {
  return typeof columns === 'function' ? columns(names, values) : columns;
}

function describeTarget({ words: [one] }: Resource): string {
  if (PEOPLE.has(one)) return 'id, e-mail address or full name';
  return isNamedKind(one as RecordKind) ? 'id or full name' : `id of the ${one}`;
}

export function describeTargets({ words: [one] }: Resource): string {
  if (PEOPLE.has(one)) return 'ids, e-mail addresses or full names, or - to read them from stdin';
  return `ids${isNamedKind(one as RecordKind) ? ' or full names' : ''}, or - to read them from stdin`;
}
