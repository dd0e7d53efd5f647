import { operations } from '../api/operations.ts';
import type { ListPage, Row } from '../api/page.ts';
import { timesheet } from '../api/records.ts';
import { defineCommand } from '../cli/command.ts';
import {
  flag,
  flagsOf,
  groupFlags,
  listFlags,
  memberFilter,
  periodFlag,
  statusFilter,
  zoneFlag,
} from '../commands/flags.ts';
import { SERVICE_EXITS } from '../commands/outputs.ts';
import { UsageError } from '../errors.ts';
import { toNumber } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { formatBriefDays, formatHours, toDay } from '../parsing/calendar.ts';
import { createColumns, createNameColumn, createPeriodColumn, createPeriodColumns } from './columns.ts';
import { defineResource } from './define.ts';
import type { Names } from './names.ts';

const { list, reject } = operations.timesheets;
const column = createColumns(timesheet.fields);

const filters = [statusFilter(list), memberFilter(list), ...flagsOf(list, ['date_from', 'date_to', 'id'])];

export const trackedHoursColumn: Column = column('total_hours', { show: hoursOf });

export const timesheets = defineResource('timesheets', {
  record: timesheet,
  label: (names) => [
    createNameColumn(names, 'user_id'),
    createPeriodColumn('date_from', 'date_to'),
    trackedHoursColumn,
    column('id'),
  ],
  filters,
  verbs: {
    list: defineCommand({
      path: 'timesheets list',
      operation: list,
      examples: [
        'ttctl timesheets list --status submitted',
        'ttctl timesheets list --period last-month --sort total_hours:desc',
        'ttctl timesheets list --period last-month --period-by end --group-by user_id --sum total_hours',
      ],
      flags: [
        ...listFlags(list),
        ...filters,
        periodFlag,
        {
          name: 'period-by',
          value: 'rule',
          choices: ['overlap', 'start', 'end'],
          about: 'timesheets with any day in the period, or only with their first or last',
        },
      ],
      run: async (context, { values, options }) => {
        const { api, clock, names, output, window } = context;
        const { date_from: from, date_to: to } = values as Readonly<Record<string, string | undefined>>;
        const { periodBy: rule = 'overlap' } = options;
        if (options.periodBy !== undefined && from === undefined && to === undefined)
          throw new UsageError('--period-by needs --period, --date-from or --date-to');
        const crossing: Row[] = [];
        const days: string[] = [];
        const pages = api.timesheets.list(values).pages(window);
        await output.list(pickByPeriod(pages, from, to, rule, crossing, days), {
          noun: timesheet.words[1],
          columns: createSheetColumns(names),
        });
        const [first = from, last = to] = [days.sort()[0], days.at(-1)];
        const isOther = (from !== undefined && first !== from) || (to !== undefined && last !== to);
        const isWhole = (options.limit ?? options.page) === undefined;
        if (isWhole && isOther && first !== undefined && last !== undefined) {
          const span = formatBriefDays([first, last], clock.now(), ' to ');
          output.note(`Timesheets that ${rule} in this period cover ${span}.`);
        }
        if (crossing.length === 0) return;
        // Whoever adds up hours would count such a timesheet in both periods.
        const hours = crossing.reduce((all, row) => all + (toNumber(hoursOf(row)) || 0), 0);
        const count = crossing.length === 1 ? '1 timesheet reaches' : `${crossing.length} timesheets reach`;
        const text = `${count} beyond these days, with ${formatHours(hours)} hours in all. To count each in one period only: --period-by end`;
        if ((options.sum ?? []).length > 0) output.warn(text);
        else output.note(text);
      },
    }),
    approve: {
      does: 'decide',
      examples: [
        'ttctl timesheets approve --all --clean --period last-week --dry-run',
        'ttctl timesheets approve ana@example.com --period last-week',
        'ttctl timesheets approve --from-file timesheets.csv --max-changes 50',
      ],
    },
    reject: {
      does: 'decide',
      examples: ['ttctl timesheets reject ana@example.com --period last-week --reason "Friday is missing"'],
      flags: [flag(reject, 'reason')],
    },
    submit: { does: 'decide', examples: ['ttctl timesheets submit ana@example.com --period last-week'] },
    unsubmit: {
      does: 'decide',
      examples: ['ttctl timesheets unsubmit ana@example.com --period last-week'],
    },
  },
  others: {
    get: {
      does: 'get',
      examples: ['ttctl timesheets get ana@example.com --period 2026-W32'],
      flags: [{ ...periodFlag, about: 'period, where a member is named', usual: 'last-week' }],
      columns: createSheetColumns,
      only: true,
    },
    missing: defineCommand({
      path: 'timesheets missing',
      about: 'list who has no timesheet for a period, has not submitted it, or had it rejected',
      examples: ['ttctl timesheets missing', 'ttctl timesheets missing --period last-week --output ids'],
      prints: {
        shape: 'list',
        fields: ['id', 'name', 'email', 'from', 'to', 'reason'],
        words: { reason: ['no_timesheet', 'not_submitted', 'rejected'] },
      },
      exits: [...SERVICE_EXITS, 8],
      flags: [
        { ...periodFlag, about: 'period to check: last-week, 2026-W32, 2026-10', usual: 'last-week' },
        { ...memberFilter(list), about: 'only these members (id, e-mail or name)' },
        ...groupFlags,
        zoneFlag,
      ],
      run: async (run, { values }) => (await import('../commands/decisions.ts')).listMissing(run, values),
    }),
  },
});

function createSheetColumns(names: Names): readonly Column[] {
  return [
    createNameColumn(names, 'user_id'),
    ...createPeriodColumns('date_from', 'date_to'),
    { ...trackedHoursColumn, drop: 1 },
    column('status', { drop: 2 }),
    column('submitted_on', { kind: 'age', drop: 3 }),
    column('reject_reason', { title: 'reject reason', sparse: true, drop: 4 }),
    column('id', { short: true }),
  ];
}

/** Newer generations of the service count minutes (docs/service.md, Timesheets). */
function hoursOf({ total_hours: hours, total_minutes: minutes }: Row): unknown {
  return hours ?? (typeof minutes === 'number' ? minutes / 60 : undefined);
}

async function* pickByPeriod(
  pages: AsyncIterable<ListPage>,
  from = '0000-00-00',
  to = '9999-99-99',
  rule: string,
  crossing: Row[],
  days: string[],
): AsyncGenerator<ListPage> {
  for await (const page of pages) {
    const rows = page.rows.filter((row) => {
      const [first, last] = [toDay(row.date_from) ?? from, toDay(row.date_to) ?? to];
      if (rule === 'overlap' && (first < from || last > to)) crossing.push(row);
      const day = rule === 'start' ? first : last;
      if (rule === 'overlap') return true;
      const isCounted = day >= from && day <= to;
      if (isCounted) days.push(first, last);
      return isCounted;
    });
    yield { ...page, rows, total: rule === 'overlap' ? page.total : undefined };
  }
}
