import type { Operation } from '../api/operation.ts';
import { operations } from '../api/operations.ts';
import type { Values } from '../api/plan.ts';
import { hasLeft, viewer } from '../api/records.ts';
import { write } from '../changes/write.ts';
import { type Command, defineCommand, type Group, type Noun } from '../cli/command.ts';
import type { Context } from '../context.ts';
import { placeholder } from '../parsing/shell-word.ts';
import { describeProject, viewerColumns, viewerWords } from '../resources/viewer/columns.ts';
import { flag, positional, variadic } from './flags.ts';
import { targetFlags } from './target-flags.ts';
import {
  callFor,
  createResolver,
  defineArchive,
  defineCreate,
  defineGet,
  defineListing,
  defineRestore,
  describeTargets,
} from './verbs.ts';

const { archive, assign, get, invite, list, restore, unassign } = operations.viewers;

export const viewers = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineListing(list, viewer.words[1], {
      examples: ['ttctl viewers list', 'ttctl viewers list --email eve@client.example'],
      flags: [flag(list, 'email')],
      columns: viewerColumns,
    }),
    defineGet(get, viewer, {
      examples: ['ttctl viewers get 17', 'ttctl viewers get ana@example.com --output json'],
      columns: viewerColumns,
    }),
    defineCreate(invite, viewer, {
      examples: ['ttctl viewers invite eve@client.example --firstname Eve --lastname Okafor'],
      verb: ['invite', 'invited'],
      positionals: [positional(invite, 'email', 'e-mail address to invite')],
      alike: 'this address',
      flags: [flag(invite, 'firstname'), flag(invite, 'lastname')],
      target: 'email',
      once: true,
      columns: viewerColumns,
      hint: ({ commandLine }, { id }, { email }) =>
        `The viewer cannot see anything yet. Assign a project: ${commandLine`ttctl viewers assign ${id ?? email} --project <project>`}`,
    }),
    defineArchive(archive, viewer, {
      examples: ['ttctl viewers archive 17 18', 'ttctl viewers archive ana@example.com --dry-run'],
      list,
      get,
      filters: [flag(list, 'email')],
      ready: (row) => !hasLeft(row),
      columns: () => viewerWords,
    }),
    defineRestore(restore, viewer, { examples: ['ttctl viewers restore 17 18'] }),
    defineAssignment(
      assign,
      ['assign', 'assigned'],
      ['ttctl viewers assign ana@example.com --project 5', 'ttctl viewers assign 17 18 --project 5 --yes'],
      ({ commandLine }, viewers) => `See their projects: ${commandLine`ttctl viewers get ${viewers[0]}`}`,
    ),
    defineAssignment(
      unassign,
      ['unassign', 'unassigned'],
      [
        'ttctl viewers unassign ana@example.com --project 5',
        'ttctl viewers unassign 17 18 --project 5 --yes',
      ],
      ({ commandLine }, viewers, { project_id }) =>
        `Undo with: ${commandLine`ttctl viewers assign ${viewers.slice(0, 5)} --project ${project_id ?? placeholder('project')}`}`,
    ),
  ],
});

/** Viewers who are given a project, or lose it. */
function defineAssignment(
  operation: typeof assign | typeof unassign,
  verb: readonly [imperative: string, past: string],
  examples: readonly string[],
  hint: (context: Context, viewers: readonly string[], values: Values) => string,
): Command {
  return defineCommand({
    path: `viewers ${verb[0]}`,
    operation: operation as Operation,
    examples,
    positionals: [variadic('viewer', describeTargets(viewer))],
    flags: [...targetFlags(operation), flag(operation, 'project_id', { as: 'project', lookup: 'project' })],
    run: (context, { values, targets, options }) =>
      write(context, options, {
        targets,
        values,
        verb,
        noun: viewer.words,
        facts: describeProject(values),
        resolve: createResolver(context, viewer),
        call: (id, row) => callFor(context.api, operation, id, row),
        hint: (ids) => hint(context, ids, values),
      }),
  });
}
