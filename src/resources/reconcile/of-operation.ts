import type { Call } from '../../api/client.ts';
import type { WriteId } from '../../api/operations.ts';
import { contractReconcilers } from '../contract/reconcilers.ts';
import { expenseReconcilers } from '../expense/reconcilers.ts';
import { leaveReconcilers } from '../leave/reconcilers.ts';
import { memberReconcilers } from '../member/reconcilers.ts';
import { projectReconcilers } from '../project/reconcilers.ts';
import { taskReconcilers } from '../task/reconcilers.ts';
import { timeRequestReconcilers } from '../time-request/reconcilers.ts';
import { timeTrackingReconcilers } from '../time-tracking/reconcilers.ts';
import { timesheetReconcilers } from '../timesheet/reconcilers.ts';
import { viewerReconcilers } from '../viewer/reconcilers.ts';
import { webhookReconcilers } from '../webhook/reconcilers.ts';
import type { Reconciler } from './reconciler.ts';

const RECONCILERS: { readonly [Id in WriteId]: Reconciler } = {
  ...memberReconcilers,
  ...viewerReconcilers,
  ...projectReconcilers,
  ...contractReconcilers,
  ...taskReconcilers,
  ...timesheetReconcilers,
  ...leaveReconcilers,
  ...timeRequestReconcilers,
  ...expenseReconcilers,
  ...timeTrackingReconcilers,
  ...webhookReconcilers,
};

const isWrite = (id: string): id is WriteId => Object.hasOwn(RECONCILERS, id);

/** How the service's own records show what became of a write; undefined for a read. */
export const reconcilerOf = ({ operation: { id } }: Call): Reconciler | undefined =>
  isWrite(id) ? RECONCILERS[id] : undefined;
