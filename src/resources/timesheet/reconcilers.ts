import type { Api } from '../../api/client.ts';
import type { Transition } from '../../api/fields.ts';
import type { Values } from '../../api/plan.ts';
import { timesheet } from '../../api/records.ts';
import { toText } from '../../json.ts';
import { findOne, type Reconciler, type Reconcilers } from '../reconcile/reconciler.ts';
import { createTransitionReconciler, toRejectionView } from '../reconcile/record-change.ts';

/** A list alone shows one. */
const findSheet = (api: Api, timesheetId: unknown) => {
  const id = toText(timesheetId);
  return findOne(api.timesheets.list({ id }), (row) => toText(row.id) === id);
};

const createReconciler = (transition: Transition): Reconciler =>
  createTransitionReconciler(timesheet, transition, {
    read: (api, { timesheetId }) => findSheet(api, timesheetId),
    key: ({ timesheetId }) => toText(timesheetId),
    lists: (api) => [api.timesheets.list({})],
    others: ({ reason }: Values) => (reason === undefined ? {} : { reject_reason: reason }),
  });

const { approve, reject, submit, unsubmit } = timesheet.transitions;

export const timesheetReconcilers: Reconcilers<'timesheets'> = {
  'timesheets.approve': createReconciler(approve),
  'timesheets.reject': { ...createReconciler(reject), view: toRejectionView },
  'timesheets.submit': createReconciler(submit),
  'timesheets.unsubmit': createReconciler(unsubmit),
};
