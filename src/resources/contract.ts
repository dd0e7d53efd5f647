import { defineResource, email, integer, number, state, text, withDisplay } from './resource.ts';

export const SCREENSHOTS = [
  'full',
  'blurred',
  'no_preview',
  'no_screenshot',
  'background_blurred',
  'video_full',
  'video_blurred',
  'video_full_silent',
  'video_blurred_silent',
] as const;
/** Whose rate counts. */
export const RATE_TYPE = { custom: 1, "member's": 2, "project's": 3 } as const;

/** Whether time may be booked on a contract, as far as it says. */
export const isRunning = ({ status }: Readonly<Record<string, unknown>>): boolean =>
  status === undefined || status === contract.states[0];

export const contract = defineResource({
  noun: 'contracts',
  words: ['contract', 'contracts'],
  states: ['active', 'paused'],
  fields: {
    id: integer,
    project_id: integer,
    project_name: text,
    project_icon: text,
    user_id: integer,
    user_firstname: text,
    user_lastname: text,
    user_email: email,
    user_role: text,
    weekly_hours_limit: withDisplay(integer, { title: 'h/week', kind: 'number' }),
    screenshots: text,
    screenshots_label: text,
    rate: withDisplay(number, { kind: 'money' }),
    rate_type: withDisplay(integer, { title: 'rate from', words: RATE_TYPE }),
    status: state,
  },
});
