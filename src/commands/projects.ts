import { isArchived } from '../api/fields.ts';
import { operations } from '../api/operations.ts';
import { project } from '../api/records.ts';
import type { Group, Noun } from '../cli/command.ts';
import { placeholder } from '../parsing/shell-word.ts';
import { projectColumns, projectWords } from '../resources/project/columns.ts';
import { flag } from './flags.ts';
import { defineArchive, defineCreate, defineGet, defineListing, defineUpdate } from './verbs.ts';

const { archive, create, get, list, update } = operations.projects;

const BODY = ['start_date', 'deadline', 'estimation', 'budget', 'notes', 'icon'] as const;

export const projects = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineListing(list, project.words[1], {
      examples: ['ttctl projects list', 'ttctl projects list --name website --sort deadline'],
      flags: [flag(list, 'name')],
      columns: projectColumns,
    }),
    defineGet(get, project, {
      examples: ['ttctl projects get 17', 'ttctl projects get 17 --output json'],
      columns: projectColumns,
    }),
    defineCreate(create, project, {
      examples: ['ttctl projects create --name "Harbour website" --deadline 2026-12-18 --estimation 320'],
      alike: 'this name',
      flags: [flag(create, 'name'), ...BODY.map((name) => flag(create, name))],
      target: 'name',
      columns: projectColumns,
      hint: ({ commandLine }, { id }) =>
        `Add members with: ${commandLine`ttctl contracts create --project ${id ?? placeholder('project')} --member <member>`}`,
    }),
    defineUpdate(update, project, {
      examples: [
        'ttctl projects update 17 --deadline 2026-12-18',
        'ttctl projects update 17 --name "Harbour site" --estimation 400 --budget 31000',
      ],
      flags: [flag(update, 'name', { about: 'new name' }), ...BODY.map((name) => flag(update, name))],
    }),
    defineArchive(archive, project, {
      examples: ['ttctl projects archive 17', 'ttctl projects archive --all --name kiosk --dry-run'],
      list,
      get,
      filters: [flag(list, 'name')],
      ready: (row) => !isArchived(row),
      columns: () => projectWords,
      instead: () => 'To restore it, use the web app of the service.',
    }),
  ],
});
