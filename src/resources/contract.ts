import { toNumber } from '../json/number.ts';
import {
  defineResource,
  email,
  findState,
  integer,
  isInState,
  number,
  state,
  text,
  withDisplay,
} from './resource.ts';

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

/** Whether the rate that a contract shows is its own: not the member's, nor the project's. */
export const hasOwnRate = ({ rate_type: type }: Readonly<Record<string, unknown>>): boolean =>
  ![RATE_TYPE["member's"], RATE_TYPE["project's"]].some((other) => other === toNumber(type));

/** Whether time may be booked on a contract, as far as it says. */
export const isRunning = (row: Readonly<Record<string, unknown>>): boolean =>
  row.status === undefined || isInState(contract, row, contract.states[0]);

/** Why it does not tell who may book time on it; undefined where it does. */
export const findContractProblem = (row: Readonly<Record<string, unknown>>): string | undefined => {
  if (row.user_id == null) return 'its member cannot be read';
  const isSaid = row.status === undefined || findState(contract, row) !== undefined;
  return isSaid ? undefined : 'its status cannot be read';
};

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
