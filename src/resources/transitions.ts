import { leave } from './leave.ts';
import type { Resource, Transition } from './resource.ts';
import { timeRequest } from './time-request.ts';
import { timesheet } from './timesheet.ts';

const RESOURCES: readonly Resource[] = [timesheet, leave, timeRequest];

interface ResourceTransition {
  readonly resource: Resource;
  readonly transition: Transition;
}

/** What an operation does to the state of its records, by its id: `timesheets.approve`; undefined where nothing. */
export const findTransition = (id: string): ResourceTransition | undefined => {
  const [noun = '', verb = ''] = id.split('.');
  const resource = RESOURCES.find((one) => one.noun === noun);
  const transition = resource?.transitions?.[verb];
  return resource && transition && { resource, transition };
};
