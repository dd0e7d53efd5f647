import { boolean, integer, number, text } from './fields.ts';
import { resource } from './resource.ts';

export const leavePolicy = resource({
  noun: 'leaves',
  words: ['leave policy', 'leave policies'],
  fields: {
    id: integer,
    name: text,
    is_paid: boolean,
    time_unit: text,
    duration: number,
    hours_per_day: number,
    allow_negative_balance: boolean,
    reason_required: boolean,
  },
});
