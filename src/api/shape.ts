import type { HttpRequest } from '../http/transport.ts';
import { isRecord, type JsonNumber, toNumber } from '../json/number.ts';
import { EXIT, Failure } from '../outcome.ts';
import type { Operation } from './operation.ts';
import { type ApiReply, createUnexpectedAnswerError } from './reply.ts';

/** Whether an answer holds what the table says. */

type Answer = Operation['answer'];

/** Why the answer to a read is of no use; `undefined` where it is as the table says. */
const shapeProblem = ({ data, envelope }: ApiReply, answer: Answer): string | undefined => {
  if (answer === 'record') return isRecord(data) ? undefined : 'a response without a record';
  if (answer === 'empty' || (data === null && isRecord(envelope) && envelope.data === null)) return undefined;
  if (!Array.isArray(data)) return 'a response without a list';
  return data.every(isRecord) ? undefined : 'a list of something other than records';
};

/**
 * A read is worth nothing without its list or record, and `nothing found` would be a lie. The answer to a write is
 * taken as it is: the write is done.
 * @throws ApiError when the answer to a read is not what the table says
 */
export const checkShape = (request: HttpRequest, reply: ApiReply, status: number, answer: Answer): void => {
  const problem = request.method === 'GET' ? shapeProblem(reply, answer) : undefined;
  if (problem !== undefined) throw createUnexpectedAnswerError(request, status, problem);
};

/** The id of a workspace, which requests carry and settings keep. @throws Failure where the service gives no number */
export const workspaceIdOf = (row: { readonly id?: unknown }): number | JsonNumber => {
  const id = toNumber(row.id);
  if (!Number.isNaN(id)) return id;
  throw new Failure('the service gives the workspace an id that is no number', {
    code: 'not_the_api',
    exit: EXIT.tryLater,
    hint: 'Check the base URL: ttctl doctor',
  });
};
