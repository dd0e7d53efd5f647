import type { Api } from '../../api/client.ts';
import { toText } from '../../json/stringify.ts';
import {
  createContradictionCheck,
  createRejectionView,
  findOne,
  type Reconciler,
  type Reconcilers,
  toOutcome,
} from '../reconcile/reconciler.ts';
import { listStateWords, type Transition } from '../resource.ts';
import { timesheet } from '../timesheet.ts';

/** A list alone shows one. */
const findSheet = (api: Api, timesheetId: unknown) => {
  const id = toText(timesheetId);
  return findOne(api.timesheets.list({ id }), (row) => toText(row.id) === id);
};

const isNow = ({ to }: Transition): Reconciler => {
  const wanted = listStateWords(timesheet, to);
  return {
    after: async (api, { timesheetId }) => {
      const sheet = await findSheet(api, timesheetId);
      return sheet === undefined ? 'unknown' : toOutcome(wanted.includes(toText(sheet.status)));
    },
    contradicts: createContradictionCheck(
      timesheet.states.flatMap((state) => listStateWords(timesheet, state)),
      wanted,
    ),
  };
};

const saved = createRejectionView((api, { timesheetId }) => findSheet(api, timesheetId));

const { approve, reject, submit, unsubmit } = timesheet.transitions;

export const timesheetReconcilers: Reconcilers<'timesheets'> = {
  'timesheets.approve': isNow(approve),
  'timesheets.reject': { ...isNow(reject), saved },
  'timesheets.submit': isNow(submit),
  'timesheets.unsubmit': isNow(unsubmit),
};
