import type { SandboxResponse, WireFault } from './exchange.ts';
import { type Fault, isCommitted } from './fault.ts';
import { malformAnswer } from './malformed.ts';
import type { World } from './world.ts';

/** Carries faults out: which one a call meets, and what becomes of its answer. */

/** The next fault of the operation, in the order in which they were added. It is used up with this call. */
export const takeFault = (world: World, route: string | undefined): Fault | undefined => {
  const fault = world.faults?.find((candidate) => candidate.route === route && candidate.left > 0);
  if (fault !== undefined) fault.left -= 1;
  return fault;
};

/** How the host that answers says no: the API in its envelope, the OAuth2 host in its own way. */
export type RefuseUnderFault = (
  status: number,
  fault: Fault,
  headers: Readonly<Record<string, string>>,
) => SandboxResponse;

const toWireFault = ({ latency_ms, drop, body }: Fault): WireFault | undefined => {
  const cut = drop === null ? (body === 'truncated' ? 'middle' : undefined) : 'unanswered';
  if (latency_ms === 0 && cut === undefined) return undefined;
  return { latency_ms, ...(cut === undefined ? {} : { cut }) };
};

const EMPTY_RESPONSE: SandboxResponse = { status: 0, headers: {}, body: '' };

/** An answer that is a status alone: a redirect has no envelope. */
const createRedirect = (status: number): SandboxResponse => ({
  status,
  headers: { location: '/' },
  body: '',
});

const createRefusal = (status: number, fault: Fault, refuse: RefuseUnderFault): SandboxResponse => {
  if (status < 400) return createRedirect(status);
  const { retry_after } = fault;
  return refuse(status, fault, retry_after === null ? {} : { 'retry-after': String(retry_after) });
};

/** The answer of a call that meets a fault. The work is done or not as the fault has it. */
export const answerWithFault = (
  fault: Fault,
  work: () => SandboxResponse,
  refuse: RefuseUnderFault,
): SandboxResponse => {
  const result = isCommitted(fault) ? work() : undefined;
  const { status, body } = fault;
  const refusal = status === null ? undefined : createRefusal(status, fault, refuse);
  const response = refusal ?? result ?? EMPTY_RESPONSE;
  const answer = body === null ? response : malformAnswer(body, response);
  const wire = toWireFault(fault);
  return { ...answer, fault: fault.id, ...(wire === undefined ? {} : { wire }) };
};

/** The status that arrives; null where the connection is cut before. */
export const getSeenStatus = ({ status, wire }: SandboxResponse): number | null =>
  wire?.cut === 'unanswered' ? null : status;
