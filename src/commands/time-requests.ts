import { operations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { timeRequest } from '../api/records.ts';
import { defineCommand, type Group, type Noun } from '../cli/command.ts';
import { placeholder } from '../parsing/shell-word.ts';
import {
  timeRequestColumns,
  timeRequestDetails,
  timeRequestWords,
} from '../resources/time-request/columns.ts';
import { defineDecisionCommand } from './decide.ts';
import type { DecidableResource } from './decision-targets.ts';
import { flag, memberFilter, periodFlag, readFlags, zoneFlag } from './flags.ts';
import { createListIdFinder, defineCreate, defineListing } from './verbs.ts';

const { approve, create, get, list, reject } = operations.timeRequests;

const decidable = {
  kind: 'time-request',
  resource: timeRequest,
  list,
  filters: [
    flag(list, 'status'),
    memberFilter(list),
    flag(list, 'id'),
    flag(list, 'date_from'),
    flag(list, 'date_to'),
  ],
  columns: timeRequestWords,
} satisfies DecidableResource;

const BEGIN = 'start time: 2026-11-20T09:00 in --timezone, or with an offset';

export const timeRequests = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineListing(list, timeRequest.words[1], {
      examples: [
        'ttctl time-requests list --status pending',
        'ttctl time-requests list --member ana@example.com --period last-month',
      ],
      flags: [...decidable.filters, periodFlag],
      columns: (names, { status }) => timeRequestColumns(names, status !== undefined),
    }),
    defineCommand({
      path: 'time-requests get',
      operation: get,
      examples: ['ttctl time-requests get 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
      positionals: [{ name: 'id', about: 'id of the request', required: true }],
      flags: [...readFlags(get), zoneFlag],
      run: async (context, { values, targets: [target = ''] }) => {
        const { api, names, output } = context;
        api.timeRequests.get({ ...values, id: target }).check('written');
        const id = await createListIdFinder(context, list, timeRequestWords(names))(target);
        const { data } = await api.timeRequests.get({ ...values, id }).send();
        await output.record(data as Row, timeRequestDetails(names));
      },
    }),
    defineCreate(create, timeRequest, {
      examples: [
        'ttctl time-requests create --member ana@example.com --contract 21 --start 2026-11-20T09:00 --end 2026-11-20T12:30',
        'ttctl time-requests create --member 17 --contract 21 --start 2026-11-20T09:00+01:00 --end 2026-11-20T12:30+01:00',
      ],
      flags: [
        flag(create, 'user_id', { as: 'member', lookup: 'member' }),
        flag(create, 'contract_id', { as: 'contract' }),
        flag(create, 'start', { about: BEGIN }),
        flag(create, 'end'),
        flag(create, 'task_id', { as: 'task' }),
        flag(create, 'notes'),
      ],
      columns: timeRequestDetails,
      hint: ({ commandLine }, { id }) =>
        `Approve it with: ${commandLine`ttctl time-requests approve ${id ?? placeholder('id')}`}`,
    }),
    defineDecisionCommand(decidable, timeRequest.transitions.approve, approve, {
      examples: [
        'ttctl time-requests approve 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
        'ttctl time-requests approve --all --period last-week --dry-run',
      ],
    }),
    defineDecisionCommand(decidable, timeRequest.transitions.reject, reject, {
      examples: [
        'ttctl time-requests reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --comment "Already on the timesheet"',
      ],
      flags: [flag(reject, 'comment')],
    }),
  ],
});
