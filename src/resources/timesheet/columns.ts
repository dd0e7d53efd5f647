import type { Row } from '../../api/page.ts';
import { timesheet } from '../../api/records.ts';
import type { Names } from '../../context.ts';
import { isNumber } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import {
  createColumns,
  createNameColumn,
  createPeriodColumn,
  createPeriodColumns,
} from '../display/columns.ts';

const column = createColumns(timesheet.fields);

/** Newer generations of the service count minutes (docs/service.md, Timesheets). */
export const hoursOf = ({ total_hours: hours, total_minutes: minutes }: Row): unknown =>
  hours ?? (isNumber(minutes) ? Number(minutes) / 60 : undefined);

export const trackedHoursColumn: Column = column('total_hours', { show: hoursOf });

/** @param alike whether all rows have the same status, because the list was asked for one */
export const timesheetColumns = ({ member }: Names, alike: boolean): readonly Column[] => [
  createNameColumn(member, 'user_id', 'member'),
  ...createPeriodColumns('date_from', 'date_to'),
  { ...trackedHoursColumn, drop: 1 },
  column('status', { drop: alike ? 9 : 2 }),
  column('submitted_on', { kind: 'age', drop: 3 }),
  column('reject_reason', { title: 'reject reason', sparse: true, drop: 4 }),
  column('id', { short: true }),
];

/** A timesheet in a few words, for questions. */
export const timesheetWords = ({ member }: Names): readonly Column[] => [
  createNameColumn(member, 'user_id', 'member'),
  createPeriodColumn('date_from', 'date_to'),
  trackedHoursColumn,
  column('id'),
];
