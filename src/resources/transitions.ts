import { leave } from './leave.ts';
import type { Resource, Transition } from './resource.ts';
import { timeRequest } from './time-request.ts';
import { timesheet } from './timesheet.ts';

const DECIDED: readonly Resource[] = [timesheet, leave, timeRequest];

interface Move {
  readonly resource: Resource;
  readonly transition: Transition;
}

/** What an operation does to the state of its records, by its id: `timesheets.approve`; undefined where nothing. */
export const findTransition = (id: string): Move | undefined => {
  const [noun = '', verb = ''] = id.split('.');
  const resource = DECIDED.find((one) => one.noun === noun);
  const transition = resource?.transitions?.[verb];
  return resource && transition && { resource, transition };
};
