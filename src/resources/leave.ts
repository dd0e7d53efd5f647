import { decisionStates, decisions } from './decision.ts';
import { datetime, integer, listOf, number, object, shown, state, text } from './fields.ts';
import { resource } from './resource.ts';

export const leave = resource({
  noun: 'leaves',
  words: ['leave request', 'leave requests'],
  states: decisionStates,
  transitions: decisions,
  fields: {
    id: text,
    user_id: integer,
    status: state,
    note: text,
    is_paid: shown(text, { title: 'paid' }),
    policy_id: integer,
    created_by: integer,
    approved_by: integer,
    rejected_by: integer,
    reject_reason: text,
    start_date: shown(text, { title: 'from', kind: 'date' }),
    end_date: shown(text, { title: 'to', kind: 'date' }),
    created_on: shown(datetime, { title: 'asked' }),
    total: object({ days: number, hours: number }),
  },
});
export const leaveBalanceFields = {
  user_id: integer,
  user_name: shown(text, { title: 'member' }),
  leave_information: listOf(object({ leave_type: text, balance: text })),
  total_balance: shown(text, { title: 'total' }),
} as const;
