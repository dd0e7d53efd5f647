import { date, datetime, defineResource, integer, number, state, text, withDisplay } from './resource.ts';

export const timesheet = defineResource({
  noun: 'timesheets',
  words: ['timesheet', 'timesheets'],
  states: ['open', 'submitted', 'rejected', 'approved'],
  // So newer generations of the service call it.
  aliases: { open: 'pending' },
  shownAs: { reason: 'reject_reason' },
  decisive: ['status', 'date_from', 'date_to', 'total_hours'],
  transitions: {
    approve: { verb: ['approve', 'approved'], from: 'submitted', to: 'approved', asks: true },
    reject: { verb: ['reject', 'rejected'], from: 'submitted', to: 'rejected', asks: true },
    submit: { verb: ['submit', 'submitted'], from: 'open', to: 'submitted', asks: false, back: 'unsubmit' },
    unsubmit: {
      verb: ['unsubmit', 'reopened'],
      from: 'submitted',
      to: 'open',
      asks: false,
      back: 'submit',
    },
  },
  fields: {
    id: text,
    user_id: integer,
    date_from: withDisplay(date, { title: 'from' }),
    date_to: withDisplay(date, { title: 'to' }),
    total_hours: withDisplay(number, { title: 'hours', kind: 'hours' }),
    submitted_on: withDisplay(datetime, { title: 'submitted' }),
    reject_reason: text,
    status: state,
  },
});
