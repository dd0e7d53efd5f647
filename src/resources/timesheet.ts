import { date, datetime, integer, number, shown, state, text } from './fields.ts';
import { resource } from './resource.ts';

export const timesheet = resource({
  noun: 'timesheets',
  words: ['timesheet', 'timesheets'],
  states: ['open', 'submitted', 'rejected', 'approved'],
  // So newer generations of the service call it.
  aliases: { open: 'pending' },
  transitions: {
    approve: { verb: ['approve', 'approved'], from: 'submitted', to: 'approved', asks: true },
    reject: { verb: ['reject', 'rejected'], from: 'submitted', to: 'rejected', asks: true },
    submit: { verb: ['submit', 'submitted'], from: 'open', to: 'submitted', asks: false, back: 'unsubmit' },
    unsubmit: {
      verb: ['unsubmit', 'taken back'],
      from: 'submitted',
      to: 'open',
      asks: false,
      back: 'submit',
    },
  },
  fields: {
    id: text,
    user_id: integer,
    date_from: shown(date, { title: 'from' }),
    date_to: shown(date, { title: 'to' }),
    total_hours: shown(number, { title: 'hours', kind: 'hours' }),
    submitted_on: shown(datetime, { title: 'submitted' }),
    reject_reason: text,
    status: state,
  },
});
