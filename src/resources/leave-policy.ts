import { boolean, integer, number, shown, text } from './fields.ts';
import { resource } from './resource.ts';

export const leavePolicy = resource({
  noun: 'leaves',
  words: ['leave policy', 'leave policies'],
  fields: {
    id: integer,
    name: text,
    is_paid: shown(boolean, { title: 'paid' }),
    time_unit: text,
    duration: shown(number, { title: 'allowance' }),
    hours_per_day: shown(number, { title: 'h/day', kind: 'number' }),
    allow_negative_balance: shown(boolean, { title: 'may go negative' }),
    reason_required: shown(boolean, { title: 'reason needed' }),
  },
});
