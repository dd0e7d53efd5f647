import { TIMESHEET_STATUSES } from '../../api/vocabulary.ts';
import { textOf } from '../../json/text.ts';
import { firstRow, type Reconciler, type Reconcilers, verdict } from '../reconcile/reconciler.ts';
import { contradiction } from '../reconcile/states.ts';

/** The list shows the state. */
const isNow = (...states: readonly string[]): Reconciler => ({
  after: async (api, { timesheetId }) => {
    const id = textOf(timesheetId);
    const sheet = await firstRow(api.timesheets.list({ id }), (row) => textOf(row.id) === id);
    return sheet === undefined ? 'unknown' : verdict(states.includes(textOf(sheet.status)));
  },
  contradicts: contradiction([...TIMESHEET_STATUSES, 'pending'], states),
});

export const timesheetReconcilers: Reconcilers<'timesheets'> = {
  'timesheets.approve': isNow('approved'),
  'timesheets.reject': isNow('rejected'),
  'timesheets.submit': isNow('submitted'),
  'timesheets.unsubmit': isNow('open', 'pending'),
};
