import { textOf } from '../../json/text.ts';
import { firstRow, type Reconciler, type Reconcilers, verdict } from '../reconcile/reconciler.ts';
import { contradiction } from '../reconcile/states.ts';
import { type Transition, wordsOfState } from '../resource.ts';
import { timesheet } from '../timesheet.ts';

/** The list shows the state. */
const isNow = ({ to }: Transition): Reconciler => {
  const wanted = wordsOfState(timesheet, to);
  return {
    after: async (api, { timesheetId }) => {
      const id = textOf(timesheetId);
      const sheet = await firstRow(api.timesheets.list({ id }), (row) => textOf(row.id) === id);
      return sheet === undefined ? 'unknown' : verdict(wanted.includes(textOf(sheet.status)));
    },
    contradicts: contradiction(
      timesheet.states.flatMap((state) => wordsOfState(timesheet, state)),
      wanted,
    ),
  };
};

const { approve, reject, submit, unsubmit } = timesheet.transitions;

export const timesheetReconcilers: Reconcilers<'timesheets'> = {
  'timesheets.approve': isNow(approve),
  'timesheets.reject': isNow(reject),
  'timesheets.submit': isNow(submit),
  'timesheets.unsubmit': isNow(unsubmit),
};
