import { boolean, integer, number, text } from './fields.ts';

export const leavePolicyFields = {
  id: integer,
  name: text,
  is_paid: boolean,
  time_unit: text,
  duration: number,
  hours_per_day: number,
  allow_negative_balance: boolean,
  reason_required: boolean,
} as const;
