import type { Api } from '../../api/client.ts';
import { textOf } from '../../json/text.ts';
import { firstRow, type Reconciler, type Reconcilers, verdict } from '../reconcile/reconciler.ts';
import { contradiction, rejection } from '../reconcile/states.ts';
import { type Transition, wordsOfState } from '../resource.ts';
import { timesheet } from '../timesheet.ts';

/** A list alone shows one. */
const findSheet = (api: Api, timesheetId: unknown) => {
  const id = textOf(timesheetId);
  return firstRow(api.timesheets.list({ id }), (row) => textOf(row.id) === id);
};

const isNow = ({ to }: Transition): Reconciler => {
  const wanted = wordsOfState(timesheet, to);
  return {
    after: async (api, { timesheetId }) => {
      const sheet = await findSheet(api, timesheetId);
      return sheet === undefined ? 'unknown' : verdict(wanted.includes(textOf(sheet.status)));
    },
    contradicts: contradiction(
      timesheet.states.flatMap((state) => wordsOfState(timesheet, state)),
      wanted,
    ),
  };
};

const saved = rejection((api, { timesheetId }) => findSheet(api, timesheetId));

const { approve, reject, submit, unsubmit } = timesheet.transitions;

export const timesheetReconcilers: Reconcilers<'timesheets'> = {
  'timesheets.approve': isNow(approve),
  'timesheets.reject': { ...isNow(reject), saved },
  'timesheets.submit': isNow(submit),
  'timesheets.unsubmit': isNow(unsubmit),
};
