import type { Api } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { toText } from '../../json/stringify.ts';
import {
  findOne,
  type Outcome,
  type Reconciler,
  type Reconcilers,
  toOutcome,
} from '../reconcile/reconciler.ts';
import {
  createContradictionCheck,
  createStateReconciler,
  toRejectionView,
} from '../reconcile/record-change.ts';
import { listStateWords, type Transition } from '../resource.ts';
import { timesheet } from '../timesheet.ts';

/** A list alone shows one. */
const findSheet = (api: Api, timesheetId: unknown) => {
  const id = toText(timesheetId);
  return findOne(api.timesheets.list({ id }), (row) => toText(row.id) === id);
};

/** A verb that can be taken back is answered as done where it is done already: then the sheet is looked at first. */
const createTransitionReconciler = ({ to, back }: Transition): Reconciler => {
  const wanted = listStateWords(timesheet, to);
  const known = timesheet.states.flatMap((state) => listStateWords(timesheet, state));
  // Another word tells nothing.
  const judge = ({ status }: Row): Outcome =>
    known.includes(toText(status)) ? toOutcome(wanted.includes(toText(status))) : 'unknown';
  return createStateReconciler(
    {
      read: (api, { timesheetId }) => findSheet(api, timesheetId),
      key: ({ timesheetId }) => toText(timesheetId),
      lists: (api) => [api.timesheets.list({})],
      to,
      judge,
      others: ({ reason }: Values) => (reason === undefined ? {} : { reject_reason: reason }),
      ...(back === undefined ? {} : { first: true }),
    },
    {
      contradicts: createContradictionCheck(known, wanted),
    },
  );
};

const { approve, reject, submit, unsubmit } = timesheet.transitions;

export const timesheetReconcilers: Reconcilers<'timesheets'> = {
  'timesheets.approve': createTransitionReconciler(approve),
  'timesheets.reject': { ...createTransitionReconciler(reject), view: toRejectionView },
  'timesheets.submit': createTransitionReconciler(submit),
  'timesheets.unsubmit': createTransitionReconciler(unsubmit),
};
