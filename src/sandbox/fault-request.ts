import { UsageError } from '../outcome.ts';
import { findNearestWord } from './dialect.ts';
import { describeFault, FAULT_BODIES, type Fault, type FaultBody } from './fault.ts';
import type { World } from './world.ts';

/** Adding and listing faults. */

/** A fault as it is asked for; whatever is left out is as without a fault. */
export interface FaultRequest {
  /** See fault-target.ts. */
  readonly operation: string;
  /** Default 1. */
  readonly times?: number;
  readonly status?: number;
  /** Seconds. */
  readonly retry_after?: number;
  readonly after_commit?: boolean;
  readonly latency_ms?: number;
  readonly drop?: 'before' | 'after';
  readonly body?: FaultBody;
}

export interface StoredFaultRow extends Fault {
  /** The fault in words. */
  readonly fault: string;
}

const MAX_FAULTS = 100;
const MAX_LATENCY_MS = 3_600_000;

const parseBody = (text: string | undefined): FaultBody | null => {
  if (text === undefined) return null;
  const bodies = Object.keys(FAULT_BODIES) as FaultBody[];
  const body = bodies.find((name) => name === text);
  if (body !== undefined) return body;
  const suggestion = findNearestWord(text, bodies);
  throw new UsageError(`--body: "${text}" is not a kind of broken body`, {
    hint: `${suggestion === undefined ? '' : `Did you mean ${suggestion}? `}Known: ${bodies.join(', ')}.`,
  });
};

const parseDrop = (text: string | undefined): Fault['drop'] => {
  if (text === undefined) return null;
  if (text === 'before' || text === 'after') return text;
  throw new UsageError(`--drop: "${text}" is not one of before, after`, {
    hint: 'The connection is closed before or after the work is done.',
  });
};

/** @throws UsageError */
const checkWholeNumber = (
  flag: string,
  value: number | undefined,
  [min, max]: readonly [number, number],
): void => {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw new UsageError(`${flag}: ${value} is not a whole number from ${min} to ${max}`);
};

/** @throws UsageError for numbers out of range */
const checkNumbers = ({ times, status, retry_after, latency_ms }: FaultRequest): void => {
  checkWholeNumber('--times', times, [1, 1_000_000]);
  checkWholeNumber('--status', status, [300, 599]);
  checkWholeNumber('--retry-after', retry_after, [0, 86_400]);
  const latency = latency_ms ?? 0;
  if (latency >= 0 && latency <= MAX_LATENCY_MS) return;
  throw new UsageError('--latency must be from 0 to 1h');
};

/** What cannot be together, and why. */
const CONFLICTS: readonly (readonly [
  isConflict: (request: FaultRequest) => boolean,
  message: string,
  reason: string,
])[] = [
  [
    ({ status, drop, body, latency_ms = 0 }) =>
      [status, drop, body].every((part) => part === undefined) && latency_ms === 0,
    'a fault needs --status, --drop, --body or --latency',
    'Without one of them the call would succeed.',
  ],
  [
    ({ drop, status, body }) => drop !== undefined && (status !== undefined || body !== undefined),
    '--drop cannot be used with --status or --body',
    'A closed connection sends no response.',
  ],
  [
    ({ after_commit, status, body }) => after_commit === true && status === undefined && body !== 'failure',
    '--after-commit needs --status, or --body failure',
    'It does the work, then reports a failure. With --drop, use --drop after.',
  ],
  [
    ({ after_commit, status }) => after_commit === true && status === 429,
    '--after-commit cannot be used with --status 429',
    'A 429 means that nothing was done.',
  ],
  [
    ({ retry_after, status }) => retry_after !== undefined && status !== 429 && status !== 503,
    '--retry-after needs --status 429 or 503',
    'Other responses do not say how long to wait.',
  ],
  [
    ({ body, status }) => body === 'failure' && status !== undefined,
    '--body failure cannot be used with --status',
    'It is success: false with a status of success.',
  ],
];

/** Seconds: the minute is what is mostly spent (docs/service.md, Errors). */
const getRetryAfter = ({ retry_after, status }: FaultRequest): number | null =>
  retry_after ?? (status === 429 ? 60 : null);

export const listFaultRows = (world: World): readonly StoredFaultRow[] =>
  (world.faults ?? []).map((fault) => ({ ...fault, fault: describeFault(fault) }));

/**
 * Adds a fault for the next calls of the route.
 * @throws UsageError for what cannot be
 */
export const addFault = (world: World, route: string, request: FaultRequest): StoredFaultRow => {
  checkNumbers(request);
  for (const [isConflict, message, reason] of CONFLICTS)
    if (isConflict(request)) throw new UsageError(message, { reason });
  const faults = world.faults ?? [];
  if (faults.length >= MAX_FAULTS) {
    throw new UsageError(`there are ${MAX_FAULTS} faults already`, {
      hint: 'Clear them: ttctl sandbox fault clear',
    });
  }
  const times = request.times ?? 1;
  const fault: Fault = {
    id: faults.reduce((highest, { id }) => Math.max(highest, id), 0) + 1,
    route,
    times,
    left: times,
    status: request.status ?? null,
    retry_after: getRetryAfter(request),
    after_commit: request.after_commit === true,
    latency_ms: request.latency_ms ?? 0,
    drop: parseDrop(request.drop),
    body: parseBody(request.body),
  };
  world.faults = [...faults, fault];
  return { ...fault, fault: describeFault(fault) };
};

/**
 * Takes faults away: those of the ids, or all. @returns how many
 * @throws UsageError for an id that there is not; then none is taken away
 */
export const clearFaults = (world: World, ids: readonly number[]): number => {
  const faults = world.faults ?? [];
  const unknownId = ids.find((id) => !faults.some((fault) => fault.id === id));
  if (unknownId !== undefined) {
    throw new UsageError(`there is no fault ${unknownId}`, { hint: 'List them: ttctl sandbox fault list' });
  }
  const remaining = ids.length === 0 ? [] : faults.filter(({ id }) => !ids.includes(id));
  world.faults = remaining;
  return faults.length - remaining.length;
};

/** A request as it came over the wire; fields of another type are left out. */
export const parseFaultRequest = (body: Readonly<Record<string, unknown>>): FaultRequest => {
  const listFields = (names: readonly string[], type: string) =>
    names.filter((name) => typeof body[name] === type);
  const fields = [
    ...listFields(['times', 'status', 'retry_after', 'latency_ms'], 'number'),
    ...listFields(['drop', 'body'], 'string'),
    ...listFields(['after_commit'], 'boolean'),
  ];
  return {
    operation: String(body['operation'] ?? ''),
    ...Object.fromEntries(fields.map((name) => [name, body[name]])),
  };
};
