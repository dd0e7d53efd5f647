import { isArchived } from '../api/fields.ts';
import { operations } from '../api/operations.ts';
import { contract } from '../api/records.ts';
import type { Group, Noun } from '../cli/command.ts';
import { placeholder } from '../parsing/shell-word.ts';
import { contractColumns, contractDetails, contractWords } from '../resources/contract/columns.ts';
import { flag, memberFilter } from './flags.ts';
import { defineArchive, defineCreate, defineGet, defineListing, defineUpdate } from './verbs.ts';
import { describeWeekLimit } from './week-limit.ts';

const { archive, create, get, list, update } = operations.contracts;

export const contracts = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineListing(list, contract.words[1], {
      examples: [
        'ttctl contracts list --project 5',
        'ttctl contracts list --member ana@example.com --status active',
      ],
      flags: [
        flag(list, 'project_id', { as: 'project', lookup: 'project' }),
        memberFilter(list),
        flag(list, 'status'),
      ],
      columns: contractColumns,
    }),
    defineGet(get, contract, {
      examples: ['ttctl contracts get 17', 'ttctl contracts get 17 --output json'],
      columns: contractDetails,
    }),
    defineCreate(create, contract, {
      examples: [
        'ttctl contracts create --project 5 --member ana@example.com',
        'ttctl contracts create --project 5 --member 17 --weekly-hours-limit 20 --rate 75.50',
      ],
      alike: 'this member and project',
      flags: [
        flag(create, 'project_id', { as: 'project', lookup: 'project' }),
        flag(create, 'user_id', { as: 'member', lookup: 'member' }),
        flag(create, 'weekly_hours_limit'),
        flag(create, 'screenshots'),
        flag(create, 'rate'),
      ],
      remark: describeWeekLimit,
      columns: contractColumns,
      hint: ({ commandLine }, { project_id, user_id }) =>
        `Assign a task with: ${commandLine`ttctl tasks create --project ${project_id ?? placeholder('project')} --title <title> --assignee ${user_id ?? placeholder('member')}`}`,
    }),
    defineUpdate(update, contract, {
      examples: [
        'ttctl contracts update 17 --weekly-hours-limit 20',
        'ttctl contracts update 17 --status paused',
      ],
      flags: [
        flag(update, 'weekly_hours_limit'),
        flag(update, 'screenshots'),
        flag(update, 'rate'),
        flag(update, 'status'),
      ],
      remark: describeWeekLimit,
    }),
    defineArchive(archive, contract, {
      examples: [
        'ttctl contracts archive 17 18',
        'ttctl contracts archive --all --project 5 --status paused --dry-run',
      ],
      list,
      get,
      filters: [
        flag(list, 'project_id', { as: 'project', lookup: 'project' }),
        memberFilter(list),
        flag(list, 'status'),
      ],
      ready: (row) => !isArchived(row),
      columns: () => contractWords,
      instead: ({ commandLine }) =>
        `To add a member to the project again: ${commandLine`ttctl contracts create --project <project> --member <member>`}`,
    }),
  ],
});
