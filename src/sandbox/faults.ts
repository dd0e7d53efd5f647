import { allOperations } from '../api/operations.ts';
import { Refusal, type SandboxResponse, type WireFault } from './answer.ts';
import { Problem } from './basics.ts';
import { type AnswerForm, writeRefusal } from './dialect.ts';
import { findRoute, ROUTES } from './routes.ts';
import type { Fault, FaultBody, World } from './world.ts';

/** Calls that go wrong because it was asked for: how a fault is added, which call meets it, what becomes of its answer. */

export interface FaultRequest extends Readonly<Partial<Omit<Fault, 'id' | 'route' | 'left'>>> {
  readonly operation: string;
}

export function addFault(world: World, request: FaultRequest): Fault {
  const { operation, times = 1, status = null, retry_after = null, after_commit = false } = request;
  const { latency_ms = 0, drop = null, body = null } = request;
  const route = parseFaultRoute(String(operation));
  const bodies = Object.keys(BODIES);
  const isOut = (value: number | null, min: number, max: number) =>
    value !== null && !(Number.isInteger(value) && value >= min && value <= max);
  const hasAnswer = status !== null || body !== null;
  const problems: readonly (readonly [is: boolean, message: string])[] = [
    [isOut(times, 1, 1_000_000), `--times: ${times} is not a whole number from 1 to 1000000`],
    [isOut(status, 300, 599), `--status: ${status} is not a whole number from 300 to 599`],
    [isOut(retry_after, 0, 86_400), `--retry-after: ${retry_after} is not a whole number from 0 to 86400`],
    [isOut(latency_ms, 0, 3_600_000), '--latency must be from 0 to 1h'],
    [body !== null && !bodies.includes(body), `--body: "${body}" is not one of ${bodies.join(', ')}`],
    [drop !== null && !/^(before|after)$/.test(drop), `--drop: "${drop}" is not one of before, after`],
    [!hasAnswer && !drop && latency_ms === 0, 'a fault needs --status, --drop, --body or --latency'],
    [hasAnswer && !!drop, '--drop cannot be used with --status or --body: it sends no response'],
    [
      after_commit && (status === 429 || (status === null && body !== 'failure')),
      '--after-commit needs --status (not 429), or --body failure (with --drop, use --drop after)',
    ],
    [retry_after !== null && status !== 429 && status !== 503, '--retry-after needs --status 429 or 503'],
  ];
  const problem = problems.find(([is]) => is);
  if (problem !== undefined) throw new Problem(problem[1]);
  const faults = world.faults ?? [];
  const fault: Fault = {
    id: faults.reduce((highest, { id }) => Math.max(highest, id), 0) + 1,
    // The minute is what is mostly spent (docs/service.md, Errors).
    ...{ route, times, left: times, status, retry_after: retry_after ?? (status === 429 ? 60 : null) },
    ...{ after_commit, latency_ms, drop, body },
  };
  world.faults = [...faults, fault];
  return fault;
}

/** `500 after commit, delayed 3 s` */
export function describeFault(fault: Fault): string {
  const { status, retry_after, after_commit, latency_ms, drop, body } = fault;
  const words = [
    status,
    retry_after !== null && `retry after ${retry_after} s`,
    after_commit && 'after commit',
    drop && `dropped ${drop} the work`,
    body && `${body} body`,
    latency_ms > 0 && `delayed ${latency_ms / 1000} s`,
  ];
  return words.filter(Boolean).join(', ');
}

const OAUTH_ROUTES = ['POST /oauth/token', 'GET /oauth/authorize', 'POST /oauth/authorize'];

/**
 * The operation that a fault is for: `PUT /timesheets/{timesheetId}/approve`, `PUT /timesheets/17/approve`,
 * `timesheets approve`, `POST /oauth/token`.
 * @throws Problem for an operation that there is not
 */
export function parseFaultRoute(text: string): string {
  const words = text.trim().replace(/\s+/g, ' ');
  const [, method = '', path] = /^([a-z]+) (?:\/api\/v2(?=\/))?(\/[^\s?]*)/i.exec(words) ?? [];
  const routes = [...ROUTES, ...OAUTH_ROUTES.map((route) => ({ route }))];
  const route =
    path === undefined
      ? allOperations.find(({ id }) => id === words.replace(' ', '.'))?.route
      : findRoute(routes, method.toUpperCase(), path)?.route.route;
  if (route !== undefined) return route;
  const hint = 'Name a command (timesheets approve) or a route (PUT /timesheets/{timesheetId}/approve).';
  throw new Problem(`unknown operation: ${text}`, { code: 'unknown_operation', hint });
}

type RefuseUnderFault = (
  status: number,
  texts: [message: string, detail: string],
  headers: Readonly<Record<string, string>>,
) => SandboxResponse;

/**
 * The answer of a call that meets a fault.
 * @param work what the call does without the fault; it is done or not as the fault has it
 */
export function answerWithFault(
  fault: Fault,
  work: () => SandboxResponse,
  refuse: RefuseUnderFault,
): SandboxResponse {
  const { id, status, after_commit, drop, body, retry_after, latency_ms } = fault;
  const isCommitted =
    after_commit || drop === 'after' || (status === null && drop === null && body !== 'failure');
  // Of a success the same status; where there is no answer yet, 200.
  let answer: SandboxResponse = isCommitted ? work() : { status: 200, headers: {}, body: '' };
  if (status !== null && status < 400) {
    answer = { status, headers: { location: '/' }, body: '' };
  } else if (status !== null) {
    const fallback = status >= 500 ? 'Server Error' : `Refused with ${status}.`;
    const message = MESSAGES[status] ?? fallback;
    const headers = retry_after === null ? {} : { 'retry-after': String(retry_after) };
    answer = refuse(status, [message, `fault ${id} of the sandbox`], headers as Record<string, string>);
  }
  const malformed = body === null ? undefined : BODIES[body];
  if (malformed !== undefined) {
    const [type, text] = malformed;
    answer = { ...answer, headers: { ...answer.headers, 'content-type': type }, body: text };
  }
  let cut: WireFault['cut'] = body === 'truncated' ? 'middle' : undefined;
  if (drop !== null) cut = 'unanswered';
  return { ...answer, wire: { latency_ms, ...(cut && { cut }) } };
}

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'Unauthenticated. Send a valid Bearer token.',
  429: 'Too Many Attempts.',
};

/** What stands in the place of an answer; of a truncated one nothing: its connection is cut in the middle. */
const BODIES: Readonly<Record<FaultBody, readonly [type: string, text: string] | undefined>> = {
  truncated: undefined,
  html: ['text/html; charset=utf-8', '<!DOCTYPE html>\n<title>Gateway</title><h1>Bad gateway</h1>\n'],
  failure: [
    'application/json',
    '{"success":false,"message":"The request failed.","error":"A fault of the sandbox.","meta":{}}',
  ],
};

export function refuseAsApi(form: AnswerForm): RefuseUnderFault {
  return (status, [message, detail], more) => {
    const headers = { ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}), ...more };
    return writeRefusal(form, new Refusal(status, message, { headers, detail }), {});
  };
}

/** RFC 6749, section 5.2, and what is usual for a host that fails. */
export const refuseAsOAuth: RefuseUnderFault = (status, [message, detail], headers) => {
  const errors: Readonly<Record<number, string>> = { 401: 'invalid_client', 503: 'temporarily_unavailable' };
  const error = errors[status] ?? (status < 429 ? 'invalid_grant' : 'server_error');
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ error, error_description: `${message} (${detail})` }),
  };
};
