import { toState } from '../api/fields.ts';
import { operations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { hasLeft, viewer } from '../api/records.ts';
import { flag, flagsOf, positional } from '../commands/flags.ts';
import { isRecord, toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { createColumns, personColumn } from './columns.ts';
import { defineResource, type VerbOf } from './define.ts';

const { assign, invite, list, unassign } = operations.viewers;
const column = createColumns(viewer.fields);

const columns: readonly Column[] = [
  personColumn,
  column('email', { drop: 2 }),
  column('status', { drop: 1 }),
  column('projects', { drop: 3, least: 16 }),
  column('member_since', { drop: 4 }),
  column('id', { kind: 'number' }),
];

export const viewers = defineResource('viewers', {
  record: viewer,
  label: [personColumn, column('email'), column('id')],
  filters: [flag(list, 'email')],
  archived: { field: 'status', yes: 'left', no: 'active', test: isGone },
  verbs: {
    list: {
      does: 'list',
      examples: ['ttctl viewers list', 'ttctl viewers list --email eve@client.example'],
      columns,
    },
    get: {
      does: 'get',
      examples: ['ttctl viewers get ana@example.com', 'ttctl viewers get "Ana Sousa" --output json'],
      columns,
    },
    invite: {
      does: 'create',
      examples: ['ttctl viewers invite eve@client.example --firstname Eve --lastname Okafor'],
      verb: ['invite', 'invited'],
      positionals: [positional(invite, 'email', 'e-mail address to invite')],
      alike: ['email'],
      // A person who has an account already keeps the name in it.
      ignored: ['firstname', 'lastname'],
      likeness: 'this address',
      flags: flagsOf(invite, ['firstname', 'lastname']),
      target: 'email',
      once: true,
      columns,
    },
    archive: {
      does: 'archive',
      examples: ['ttctl viewers archive ana@example.com --dry-run', 'ttctl viewers archive ana@example.com'],
    },
    restore: { does: 'restore', examples: ['ttctl viewers restore ana@example.com'] },
    assign: changeProjects(assign, true),
    unassign: changeProjects(unassign, false),
  },
});

/** Of a status that is none of the known words nobody can say whether it is that of one who left. */
function isGone(row: Row): boolean | undefined {
  const isKnown = row.status === undefined || ['active', 'inactive'].includes(toState(row.status));
  return hasLeft(row) || (isKnown ? false : undefined);
}

function changeProjects(operation: typeof assign | typeof unassign, wanted: boolean): VerbOf<'assign'> {
  const name = wanted ? 'assign' : 'unassign';
  return {
    does: 'assign',
    examples: [`ttctl viewers ${name} ana@example.com --project "Harbour website"`],
    verb: [name, `${name}ed`],
    flags: [flag(operation, 'project_id')],
    shown: {
      field: 'projects',
      item: 'project_id',
      wanted,
      // Of one that has no id nobody can say which it is.
      ids({ projects }) {
        const ids = Array.isArray(projects) ? projects.map(idOf) : [undefined];
        return ids.some((id) => id == null) ? undefined : ids.map(toText);
      },
    },
  };
}

function idOf(project: unknown): unknown {
  return isRecord(project) ? (project.project_id ?? project.id ?? idOf(project.project)) : project;
}
