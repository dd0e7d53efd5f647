import { UsageError } from '../../../outcome.ts';
import { parseDuration } from '../../../parsing/duration.ts';
import { type ClockMove, parseClockMove } from '../../clock.ts';
import type { SandboxControl } from '../../control.ts';
import { parseFaultRequest } from '../../fault-request.ts';

/** What the forms of the page do. Each returns what it says afterwards. */

type Fields = ReadonlyMap<string, string>;
type Action = (control: SandboxControl, fields: Fields) => Promise<string>;

const getField = (fields: Fields, name: string): string => (fields.get(name) ?? '').trim();

/** A moment without an offset is UTC. */
const parseTime = (text: string): number => {
  const timeMs = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  if (Number.isNaN(timeMs)) throw new UsageError(`"${text}" is not a time`);
  return timeMs;
};

const parseMove = (fields: Fields): ClockMove => {
  const action = getField(fields, 'action');
  if (action === 'advance') return { action, by_ms: parseDuration(getField(fields, 'by')) };
  if (action === 'set') return { action, to_ms: parseTime(getField(fields, 'to')) };
  return parseClockMove({ action });
};

const NUMBER_FIELDS = ['times', 'status', 'retry_after', 'latency_ms'];

/** The fields that were filled in, as the control takes them. */
const parseFaultFields = (fields: Fields): Record<string, unknown> => {
  const entries = [...fields].filter(([, value]) => value.trim() !== '');
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (NUMBER_FIELDS.includes(name)) return [name, Number(value)];
      return [name, name === 'after_commit' ? true : value.trim()];
    }),
  );
};

const formatCount = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`;

const moveClock: Action = async (control, fields) => {
  const { now, frozen } = await control.moveClock(parseMove(fields));
  return `It is ${now.slice(0, 19).replace('T', ' ')} UTC in the sandbox${frozen ? ', and the clock is stopped' : ''}.`;
};

const simulate: Action = async (control, fields) => {
  const summary = await control.simulate({ by_ms: parseDuration(getField(fields, 'by')) });
  return [
    `${summary.people} people worked ${summary.tracked_hours} hours`,
    formatCount(summary.timesheets_submitted, 'timesheet submitted', 'timesheets submitted'),
    formatCount(summary.leaves_asked, 'leave requested', 'leaves requested'),
    formatCount(summary.time_requests_made, 'time request', 'time requests'),
    `${formatCount(summary.expenses_booked, 'expense', 'expenses')}.`,
  ].join(', ');
};

const ACTIONS: Readonly<Record<string, Action>> = {
  clock: moveClock,
  simulate,
  reset: async (control, fields) => {
    const { seed } = await control.reset({ seed: getField(fields, 'seed') });
    return `The sandbox was reset to ${seed}. All tokens expired.`;
  },
  'log-clear': async (control) => {
    await control.clearLog();
    return 'The log was cleared.';
  },
  'fault-add': async (control, fields) => {
    const { route, fault } = await control.addFault(parseFaultRequest(parseFaultFields(fields)));
    return `${route}: ${fault}.`;
  },
  'fault-clear': async (control, fields) => {
    const id = getField(fields, 'id');
    const cleared = await control.clearFaults({ ids: id === '' ? [] : [Number(id)] });
    return `${formatCount(cleared, 'fault', 'faults')} cleared.`;
  },
  redeliver: async (control, fields) => {
    const [row] = await control.redeliver({ ids: [getField(fields, 'id')] });
    return `${row?.event ?? 'It'} was sent again: ${row?.status ?? 'unknown'}.`;
  },
  deliver: async (control) =>
    `${formatCount((await control.deliver()).length, 'delivery', 'deliveries')} sent.`,
  trigger: async (control, fields) => {
    const event = getField(fields, 'event');
    const { deliveries } = await control.trigger({ event });
    if (deliveries.length === 0) return `No webhook subscribes to ${event}.`;
    return `${event} was sent to ${formatCount(deliveries.length, 'webhook', 'webhooks')}.`;
  },
  'snapshot-save': async (control, fields) => {
    const replace = getField(fields, 'replace') !== '';
    const { name } = await control.saveSnapshot({ name: getField(fields, 'name'), replace });
    return `The snapshot ${name} was saved.`;
  },
  'snapshot-restore': async (control, fields) => {
    const { name, now } = await control.restoreSnapshot({ name: getField(fields, 'name') });
    return `${name} was restored. The clock continues from ${now.slice(0, 19).replace('T', ' ')} UTC.`;
  },
  'snapshot-remove': async (control, fields) => {
    const { name } = await control.removeSnapshot({ name: getField(fields, 'name') });
    return `The snapshot ${name} was removed.`;
  },
};

/** Undefined: there is no such act. */
export const findAction = (name: string): Action | undefined =>
  Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
