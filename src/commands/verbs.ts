import { PEOPLE, type RecordFacts } from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import { findKindOfNoun, isNamedKind } from '../api/records.ts';
import { type Command, type CommandNode, defineCommand, type Group, type Noun } from '../cli/command.ts';
import { FILTERS, type Flag } from '../cli/flag.ts';
import { createRecordColumns } from '../resources/columns.ts';
import { type Resource, resolveColumns, type Verb, type VerbOf } from '../resources/define.ts';
import { RESOURCES } from '../resources/resources.ts';
import type { Run } from '../run.ts';
import {
  cleanFlag,
  groupFlags,
  listFlags,
  periodFlag,
  readFlags,
  TARGETS,
  targetFlags,
  whereFlag,
  writeFlags,
  zoneFlag,
} from './flags.ts';

/** The commands of a resource: each follows from its verb and a row of the operation table. What writes is in writes.ts. */

/** @param others commands of the noun that are none of the resource */
export async function defineNoun(noun: Noun, others: readonly CommandNode[] = []): Promise<Group> {
  const resource = (await RESOURCES[noun.path]?.()) as Resource;
  const commands = Object.entries(resource.verbs).map(([name, verb]) => {
    const { [name]: operation = resource.operations.list } = resource.operations;
    return 'path' in verb ? verb : defineVerb(resource, operation as Operation, verb);
  });
  return { ...noun, commands: [...commands, ...others] };
}

/** Help and lists do without the path that writes. */
function loadWrites() {
  return import('./writes.ts');
}

function defineVerb(resource: Resource, operation: Operation, verb: Verb): Command {
  const { record, operations, filters } = resource;
  const { examples, flags = [] } = verb;
  const [one] = record.words;
  const { name, about } = describeTarget(record);
  const common = {
    path: operation.id.replace('.', ' '),
    operation,
    examples,
    async run(run: Run, given: Parameters<Command['run']>[1]) {
      const { runVerb } = await loadWrites();
      await runVerb(run, resource, operation, verb, given);
    },
  };
  switch (verb.does) {
    case 'list': {
      // What is listed of one record is asked of that.
      const isOfOne = operation.path.includes('{');
      const own = isOfOne ? [...readFlags(operation), ...groupFlags] : listFlags(operation);
      return defineCommand({
        ...common,
        positionals: isOfOne ? [{ name, about, required: true }] : [],
        flags: [...own, ...(operation === operations.list ? filters : []), ...flags],
        async run(run, { values, targets: [target] }) {
          const { words = record.words[1], id } = verb;
          const call = run.api.call(operation, isOfOne ? { ...values, [operation.idName]: target } : values);
          if (isOfOne) call.check('written');
          const columns = resolveColumns(verb.columns, run.names, values);
          await run.output.list(call.pages(run.window), { noun: words, columns, ...(id && { id }) });
        },
      });
    }
    case 'get':
      return defineGet(resource, operation, verb);
    case 'create':
      return defineCommand({
        ...common,
        positionals: verb.positionals ?? [],
        flags: [...targetFlags(operation, verb.likeness), ...flags],
      });
    case 'update':
      return defineCommand({
        ...common,
        positionals: [{ name, about, required: false }],
        flags: [...targetFlags(operation), ...flags],
      });
    case 'act':
      return defineCommand({ ...common, flags: [...writeFlags(operation), ...flags] });
    case 'assign-members':
      return defineCommand({
        ...common,
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
            about: `member to ${verb.verb[0]} (id, e-mail or name); repeat it, separate with commas, or use - to read from stdin; required`,
            repeatable: true,
            needed: { kind: verb.kind },
          },
        ],
      });
    default:
      return defineCommand({
        ...common,
        prints: { shape: 'results' },
        ...describeTargets(resource, operation, verb),
      });
  }
}

/** One record, of those that have a list alone from that. */
function defineGet(
  resource: Resource,
  operation: Operation,
  { examples, flags = [], columns, only }: VerbOf<'get'>,
): Command {
  const { record: facts } = resource;
  const { name, about } = describeTarget(facts);
  const kind = findKindOfNoun(facts.noun);
  const isListed = operation === resource.operations.list;
  return defineCommand({
    path: `${facts.noun} get`,
    operation,
    examples,
    positionals: [{ name, about: isListed ? `${about}, or its member` : about, required: true }],
    flags: [...readFlags(operation), ...flags],
    ...(isListed && {
      about: `show one ${facts.words[0]}, from the list: the API has no operation for one`,
      prints: { shape: 'record', fields: Object.keys(facts.fields) } as const,
    }),
    async run(run, { values, targets: [target = ''] }) {
      const { names, output, lookUps } = run;
      const show = (record: Row): Promise<void> => {
        const known = resolveColumns(columns, names, values);
        return output.record(record, only ? known : createRecordColumns(record, known, facts.fields));
      };
      if (isListed) return show(await (await loadWrites()).findListed(run, resource, target, values));
      const callOf = (id: string) => run.api.call(operation, { ...values, [operation.idName]: id });
      let id = target;
      if (kind !== undefined && isNamedKind(kind)) id = await lookUps.find(kind, target);
      else callOf(target).check('written');
      if (facts.fields.id?.type === 'string') {
        // Tables show the beginning of a long one.
        const { findRecords } = await loadWrites();
        id = (await findRecords(run, resource).findId?.(id)) ?? id;
      }
      await show((await callOf(id).send()).data ?? {});
    },
  });
}

/** Of what is done to records that are named, or to all that a list finds. */
function describeTargets(
  { record, filters, operations: { list } }: Resource,
  operation: Operation,
  verb: Verb,
) {
  const { flags = [] } = verb;
  const [one] = record.words;
  const isDecision = verb.does === 'decide';
  const { name, several } = describeTarget(record);
  const members = isDecision ? ', their members (if exactly one matches)' : '';
  const about = `${several}${members}, or - to read them from stdin`;
  const positionals = [{ name, about, required: false, variadic: true }] as const;
  const own = targetFlags(operation);
  if (list === undefined || !(isDecision || verb.does === 'archive'))
    return { positionals, flags: [...own, ...flags] };
  const { from = '' } = operation.moves ?? {};
  const { within = '', except = '' } = verb.does === 'archive' ? verb : {};
  const every = isDecision ? `every ${from} ${one}` : `every ${one}${within && ' of the project'}`;
  const all: readonly Flag[] = [
    { name: 'all', about: `${every} that the filters match${except}`, group: TARGETS, unsafe: true },
    {
      name: 'except',
      value: 'id',
      about: 'leave out this record, or this member',
      repeatable: true,
      group: TARGETS,
    },
    { ...whereFlag, group: FILTERS },
  ];
  const chosen = [
    ...filters.filter(({ binding }) => binding.name !== within),
    ...(isDecision ? [periodFlag] : []),
  ].map((flag): Flag => ({ ...flag, group: FILTERS }));
  if (!isDecision)
    return { positionals, aliases: ['delete'], list, flags: [...own, ...flags, ...chosen, ...all] };
  const clean = operation.undo?.kind === 'none' ? [cleanFlag] : [];
  return { positionals, list, from, flags: [...own, ...all, ...clean, ...chosen, zoneFlag, ...flags] };
}

function describeTarget({ noun, words: [one, many], fields }: RecordFacts) {
  const name = fields.id?.type === 'string' ? 'id' : one;
  const kind = findKindOfNoun(noun);
  if (kind === undefined || !isNamedKind(kind))
    return { name, about: `id of the ${one}`, several: `ids of ${many}` };
  if (!PEOPLE.has(kind)) return { name, about: 'id or full name', several: 'ids or full names' };
  return { name, about: 'id, e-mail address or full name', several: 'ids, e-mail addresses or full names' };
}
