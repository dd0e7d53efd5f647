import { UsageError } from '../../../outcome.ts';
import { parseDuration } from '../../../parsing/duration.ts';
import { type ClockMove, parseClockMove } from '../../clock.ts';
import type { SandboxControl } from '../../control.ts';
import { parseFaultRequest } from '../../fault-request.ts';

/** What the forms of the page do. Each returns what it says afterwards. */

type Fields = ReadonlyMap<string, string>;
type Act = (control: SandboxControl, fields: Fields) => Promise<string>;

const given = (fields: Fields, name: string): string => (fields.get(name) ?? '').trim();

/** A moment without an offset is UTC. */
const readTime = (text: string): number => {
  const at = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  if (Number.isNaN(at)) throw new UsageError(`"${text}" is not a time`);
  return at;
};

const moveOf = (fields: Fields): ClockMove => {
  const action = given(fields, 'action');
  if (action === 'advance') return { action, by_ms: parseDuration(given(fields, 'by')) };
  if (action === 'set') return { action, to_ms: readTime(given(fields, 'to')) };
  return parseClockMove({ action });
};

const NUMBERS = ['times', 'status', 'retry_after', 'latency_ms'];

/** The fields that were filled in, as the control takes them. */
const faultOf = (fields: Fields): Record<string, unknown> => {
  const filled = [...fields].filter(([, value]) => value.trim() !== '');
  return Object.fromEntries(
    filled.map(([name, value]) => {
      if (NUMBERS.includes(name)) return [name, Number(value)];
      return [name, name === 'after_commit' ? true : value.trim()];
    }),
  );
};

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

const reclock: Act = async (control, fields) => {
  const { now, frozen } = await control.moveClock(moveOf(fields));
  return `It is ${now.slice(0, 19).replace('T', ' ')} UTC in the sandbox${frozen ? ', and the clock is stopped' : ''}.`;
};

const simulate: Act = async (control, fields) => {
  const told = await control.simulate({ by_ms: parseDuration(given(fields, 'by')) });
  return [
    `${told.people} people worked ${told.tracked_hours} hours`,
    count(told.timesheets_submitted, 'timesheet submitted', 'timesheets submitted'),
    count(told.leaves_asked, 'leave requested', 'leaves requested'),
    count(told.time_requests_made, 'time request', 'time requests'),
    `${count(told.expenses_booked, 'expense', 'expenses')}.`,
  ].join(', ');
};

const ACTS: Readonly<Record<string, Act>> = {
  clock: reclock,
  simulate,
  reset: async (control, fields) => {
    const { seed } = await control.reset({ seed: given(fields, 'seed') });
    return `The sandbox was reset to ${seed}. All tokens expired.`;
  },
  'log-clear': async (control) => {
    await control.clearLog();
    return 'The log was cleared.';
  },
  'fault-add': async (control, fields) => {
    const { route, fault } = await control.addFault(parseFaultRequest(faultOf(fields)));
    return `${route}: ${fault}.`;
  },
  'fault-clear': async (control, fields) => {
    const id = given(fields, 'id');
    const cleared = await control.clearFaults({ ids: id === '' ? [] : [Number(id)] });
    return `${count(cleared, 'fault', 'faults')} cleared.`;
  },
  redeliver: async (control, fields) => {
    const [row] = await control.redeliver({ ids: [given(fields, 'id')] });
    return `${row?.event ?? 'It'} was sent again: ${row?.status ?? 'unknown'}.`;
  },
  deliver: async (control) => `${count((await control.deliver()).length, 'delivery', 'deliveries')} sent.`,
  trigger: async (control, fields) => {
    const event = given(fields, 'event');
    const { deliveries } = await control.trigger({ event });
    if (deliveries.length === 0) return `No webhook subscribes to ${event}.`;
    return `${event} was sent to ${count(deliveries.length, 'webhook', 'webhooks')}.`;
  },
  'snapshot-save': async (control, fields) => {
    const replace = given(fields, 'replace') !== '';
    const { name } = await control.saveSnapshot({ name: given(fields, 'name'), replace });
    return `The snapshot ${name} was saved.`;
  },
  'snapshot-restore': async (control, fields) => {
    const { name, now } = await control.restoreSnapshot({ name: given(fields, 'name') });
    return `${name} was restored. The clock continues from ${now.slice(0, 19).replace('T', ' ')} UTC.`;
  },
  'snapshot-remove': async (control, fields) => {
    const { name } = await control.removeSnapshot({ name: given(fields, 'name') });
    return `The snapshot ${name} was removed.`;
  },
};

/** Undefined: there is no such act. */
export const findAction = (name: string): Act | undefined =>
  Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
