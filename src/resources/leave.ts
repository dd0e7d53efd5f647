import {
  arrayOf,
  boolean,
  datetime,
  decisionStates,
  decisions,
  defineResource,
  integer,
  number,
  object,
  state,
  text,
  withDisplay,
} from './resource.ts';

export const leave = defineResource({
  noun: 'leaves',
  words: ['leave request', 'leave requests'],
  states: decisionStates,
  transitions: decisions,
  shownAs: { reason: 'reject_reason' },
  decisive: ['status', 'start_date', 'end_date', 'total'],
  fields: {
    id: text,
    user_id: integer,
    status: state,
    note: text,
    is_paid: withDisplay(text, { title: 'paid' }),
    policy_id: integer,
    created_by: integer,
    approved_by: integer,
    rejected_by: integer,
    reject_reason: text,
    start_date: withDisplay(text, { title: 'from', kind: 'date' }),
    end_date: withDisplay(text, { title: 'to', kind: 'date' }),
    created_on: withDisplay(datetime, { title: 'requested' }),
    total: object({ days: number, hours: number }),
  },
});
export const leaveBalanceFields = {
  user_id: integer,
  user_name: withDisplay(text, { title: 'member' }),
  leave_information: arrayOf(object({ leave_type: text, balance: text })),
  total_balance: withDisplay(text, { title: 'total' }),
} as const;

export const leavePolicy = defineResource({
  noun: 'leaves',
  words: ['leave policy', 'leave policies'],
  fields: {
    id: integer,
    name: text,
    is_paid: withDisplay(boolean, { title: 'paid' }),
    time_unit: text,
    duration: withDisplay(number, { title: 'allowance' }),
    hours_per_day: withDisplay(number, { title: 'h/day', kind: 'number' }),
    allow_negative_balance: withDisplay(boolean, { title: 'may go negative' }),
    reason_required: withDisplay(boolean, { title: 'reason needed' }),
  },
});
