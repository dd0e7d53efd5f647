import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import { UsageError } from '../../errors.ts';
import { flag, groupFlags, periodFlag, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';

const HELP = [
  {
    title: 'Who is expected',
    text: 'Active members with an active contract, on every workday (Monday to Friday) of the period that is over, from the day they were hired to the day they were archived. Such a day is in a timesheet, on approved leave, or missing.',
  },
  {
    title: 'Findings',
    entries: [
      ['no_timesheet', 'workdays with no timesheet and no approved leave'],
      [
        'not_submitted',
        'a timesheet whose period is over but that is still open, unless the member was on leave the whole time',
      ],
      ['rejected', 'a rejected timesheet, which the member has to correct'],
      ['waiting', 'a submitted timesheet that is not decided'],
      [
        'over_limit',
        "a submitted or approved timesheet with more hours than its member's weekly limit allows for its days",
      ],
      [
        'sheet_on_leave',
        'a timesheet with more hours than the weekly limit allows for the workdays not covered by approved leave',
      ],
      ['leave_pending', 'a leave request that is not decided'],
      ['time_request_pending', 'a time request that is not decided; its days are those in --timezone'],
      [
        'negative_balance',
        "a member's leave balance of the year below zero, if the policy does not allow it",
      ],
      ['archived_with_open_items', 'an archived member whose timesheets or requests are not settled'],
      ['expense_without_project', 'an expense with no project'],
      [
        'not_checked',
        'a record whose status, dates, hours, weekly limit or balance is missing or cannot be read',
      ],
    ],
  },
  {
    title: 'Partial data',
    text: 'A timesheet or request that extends beyond the period is partial: only its days inside the period count. If a list cannot be read, the findings from the others are printed, and the exit code says why (4: not allowed, 7: try later); it is never 0 or 10. Missing timesheets are then listed only if timesheets and leaves could be read. With --where, the exit code is 10 if any finding matches.',
  },
] as const;

const memberFilter = {
  id: 'close',
  parameters: { members: { type: 'integer[]', about: 'only these members' } },
} as const;

const closeCheck = defineCommand({
  path: 'close check',
  about: 'check whether a period can be closed (exit 10 if anything is open)',
  examples: [
    'ttctl close check --period last-month',
    'ttctl close check --period 2026-10 --output csv --columns member.name,member.email,message',
    'ttctl close check --period 2026-10 --group-by code',
  ],
  more: HELP,
  prints: {
    shape: 'list',
    fields: ['code', 'member', 'from', 'to', 'days', 'partial', 'message', 'fix'],
  },
  exits: [...SERVICE_EXITS, 10],
  flags: [
    { ...periodFlag, about: 'period to check: last-month, 2026-10, 2026-W40, 2026-Q3; required', needed: {} },
    flag(memberFilter, 'members', { as: 'member', lookup: 'member' }),
    ...groupFlags,
    zoneFlag,
  ],
  run: async (context, { values, options }) => {
    if (options.period === undefined) throw new UsageError('missing --period', { code: 'missing_value' });
    const { checkClose } = await import('./run-check.ts');
    await checkClose(context, {
      from: String(values.date_from),
      to: String(values.date_to),
      members: values.members as readonly unknown[] | undefined,
      period: options.period ?? '',
      memberWords: ((options as Readonly<Record<string, unknown>>).member ?? []) as readonly string[],
      grouped: options.groupBy !== undefined,
    });
  },
});

export const close = (noun: Noun): Group => ({ ...noun, commands: [closeCheck] });
