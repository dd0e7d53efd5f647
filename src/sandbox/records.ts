import * as state from './state.ts';
import type * as W from './world.ts';

/** New records, with what the service gives each: for handlers and seeds alike. */

export interface Place {
  readonly world: W.World;
  readonly workspace: W.Workspace;
  /** The sandbox's time: ms, and as records carry it. */
  readonly now: number;
  readonly time: string;
}

export type PersonDetails = Pick<W.User, 'email' | 'firstname' | 'lastname'>;

/** The user with this address, or a new one. @param isNew nobody has it: looking costs too much where there are very many */
export function findOrAddUser(world: W.World, person: PersonDetails, isNew = false): W.User {
  const known = isNew ? undefined : state.findUserByEmail(world, person.email);
  if (known !== undefined) return known;
  const id = state.createNumber(world);
  world.users[id] = { id, ...person };
  return world.users[id];
}

/** What a member need not have. It is named, so that all are of one shape. */
export const NO_DETAILS = {
  ...{ team_name: undefined, title: undefined, birth_date: undefined, hired_at: undefined },
  ...{ preferred_timezone: undefined, tax_country: undefined, tax_state: undefined },
};

export function newMembership(
  { workspace, time }: Place,
  fields: Pick<W.Membership, 'user_id' | 'role'> & Partial<W.Membership>,
): W.Membership {
  const membership: W.Membership = {
    ...{ status: 'active', ...NO_DETAILS, settings_max_inactive_minutes: 10 },
    ...{ currency: 'EUR', rate: 0, rate_type: 'hourly', rate_status: 0, is_blocked: false },
    ...{ weekly_hours_limit: 40, screenshots: 'full', created_at: time, updated_at: time },
    ...{ deleted_at: null, status_before: null, viewer_projects: [], ...fields },
  };
  workspace.members[membership.user_id] = membership;
  return membership;
}

const DEFAULTS = {
  projects: ({ time }: Place) => ({
    ...{ start_date: null, deadline: null, estimation: null, budget_estimation: null, notes: null },
    ...{ icon: null, is_billable: false, rate: null, weekly_hours_limit: 168, screenshots: 'full' },
    ...{ tags: [], created_at: time, updated_at: time, deleted_at: null },
  }),
  contracts: () => ({
    ...{ weekly_hours_limit: 168, screenshots: 'full', rate: null },
    ...{ rate_type: 2, status: 'active', deleted_at: null },
  }),
  tasks: ({ time }: Place) => ({
    ...{ description: null, status: 0, priority: null, start_date: null, end_date: null },
    ...{ completed_at: null, created_at: time, updated_at: time, deleted_at: null },
  }),
  assignments: () => ({}),
  timesheets: (_: Place, { date_from = '' }: Partial<W.Timesheet>) => ({
    ...{ date_to: addDaysTo(date_from, 6), total_minutes: 0 },
    ...{ submitted_on: null, reject_reason: null, status: 'open' },
  }),
  leave_policies: (_: Place, { is_paid = true }: Partial<W.LeavePolicy>) => ({
    ...{ is_paid, time_unit: 'days', duration: 20, hours_per_day: 8 },
    ...{ allow_negative_balance: !is_paid, reason_required: !is_paid },
  }),
  leaves: ({ time }: Place, { user_id }: Partial<W.Leave>) => ({
    ...{ status: 'pending', note: null, created_by: user_id },
    ...{ approved_by: null, rejected_by: null, reject_reason: null, created_on: time },
  }),
  time_requests: ({ time }: Place) => ({
    ...{ task_id: null, status: 'pending', notes: null, comment: null },
    ...{ updated_by: null, created_at: time, updated_at: time },
  }),
  expenses: ({ time }: Place) => ({
    ...{ project_id: null, category_id: null, note: null, is_billable: false, added_on: time.slice(0, 10) },
  }),
  categories: () => ({}),
  webhooks: ({ world }: Place) => ({
    token: `whsec_${state.createSecret(() => state.drawRandom(world), 32)}`,
  }),
} as const;

type Kind = keyof typeof DEFAULTS;
type RecordOf<K extends Kind> = W.Workspace[K] extends W.RecordMap<infer T> ? T : never;
type Given<K extends Kind> = Partial<RecordOf<K>> &
  Omit<RecordOf<K>, 'id' | keyof ReturnType<(typeof DEFAULTS)[K]>>;

const WITH_TEXT_ID = ['timesheets', 'leaves', 'time_requests', 'expenses', 'categories', 'webhooks'];

/**
 * Puts a new record into its workspace; nothing is checked. Of what an answer shows as it is, the fields that were given
 * come first.
 */
export function addRecord<K extends Kind>(place: Place, kind: K, fields: Given<K>): RecordOf<K> {
  const { world, workspace } = place;
  const defaults = DEFAULTS[kind](place, fields as object);
  const id = WITH_TEXT_ID.includes(kind) ? state.createUuid(world) : state.createNumber(world);
  const record = { id, ...fields, ...defaults, ...fields } as unknown as RecordOf<K>;
  const records = workspace[kind] as W.RecordMap<RecordOf<K>>;
  records[id] = record;
  return record;
}

export function addDaysTo(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

export function getMonday(day: string): string {
  return addDaysTo(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
}
