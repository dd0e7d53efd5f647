import { decisionStates, decisions } from './decision.ts';
import { datetime, integer, listOf, number, object, text } from './fields.ts';
import { resource } from './resource.ts';

export const leave = resource({
  noun: 'leaves',
  words: ['leave request', 'leave requests'],
  states: decisionStates,
  transitions: decisions,
  fields: {
    id: text,
    user_id: integer,
    status: text,
    note: text,
    is_paid: text,
    policy_id: integer,
    created_by: integer,
    approved_by: integer,
    rejected_by: integer,
    reject_reason: text,
    start_date: text,
    end_date: text,
    created_on: datetime,
    total: object({ days: number, hours: number }),
  },
});
export const leaveBalanceFields = {
  user_id: integer,
  user_name: text,
  leave_information: listOf(object({ leave_type: text, balance: text })),
  total_balance: text,
} as const;
