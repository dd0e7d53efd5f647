import type { Operation } from '../../api/operation.ts';
import type { WriteId } from '../../api/operations.ts';
import type { Reconciler, Reconcilers } from './reconciler.ts';

type NounOf<Id> = Id extends `${infer Noun}.${string}` ? Noun : never;

/** Each resource's own, loaded when one of its writes is sent. A resource that is missing does not compile. */
const LOADED: { readonly [Noun in NounOf<WriteId>]: () => Promise<Reconcilers<Noun>> } = {
  members: async () => (await import('../member/reconcilers.ts')).memberReconcilers,
  viewers: async () => (await import('../viewer/reconcilers.ts')).viewerReconcilers,
  projects: async () => (await import('../project/reconcilers.ts')).projectReconcilers,
  contracts: async () => (await import('../contract/reconcilers.ts')).contractReconcilers,
  tasks: async () => (await import('../task/reconcilers.ts')).taskReconcilers,
  timesheets: async () => (await import('../timesheet/reconcilers.ts')).timesheetReconcilers,
  leaves: async () => (await import('../leave/reconcilers.ts')).leaveReconcilers,
  'time-requests': async () => (await import('../time-request/reconcilers.ts')).timeRequestReconcilers,
  expenses: async () => (await import('../expense/reconcilers.ts')).expenseReconcilers,
  // No record shows a tracker: asking to stop it again is the only way to see, and that is a write.
  'time-tracking': async () => ({ 'time-tracking.stop': { after: async () => 'unknown' } }),
  webhooks: async () => (await import('../webhook/reconcilers.ts')).webhookReconcilers,
};

const isNoun = (noun: string): noun is NounOf<WriteId> => Object.hasOwn(LOADED, noun);

/** How the service's own records show what became of a write; undefined for a read. */
export const findReconciler = async ({ id }: Pick<Operation, 'id'>): Promise<Reconciler | undefined> => {
  const [noun = ''] = id.split('.');
  if (!isNoun(noun)) return undefined;
  const reconcilers: Readonly<Record<string, Reconciler>> = await LOADED[noun]();
  return Object.hasOwn(reconcilers, id) ? reconcilers[id] : undefined;
};
