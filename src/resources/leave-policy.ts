import { boolean, defineResource, integer, number, text, withDisplay } from './resource.ts';

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
