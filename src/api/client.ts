import type { Method, Query, Transport } from '../http/transport.ts';
import { ApiError, type FailureFacts, NetworkError } from '../outcome.ts';
import type { Operation, RecordOf, ValuesOf } from './operation.ts';
import { operations } from './operations.ts';
import type { Page } from './page.ts';
import { pages, type Window } from './pages.ts';
import { check, type Extra, needsWorkspace, plan, type Values } from './plan.ts';
import { type Reply, readReply } from './reply.ts';

/** What the client needs from outside. */
export interface Channel {
  readonly transport: Transport;
  readonly base: string;
  /** The workspace of this run. @throws UsageError when there is none */
  workspaceId(): Promise<number>;
  /** Raw additions to this operation's request (`--param`, `--field`, `--input`). */
  extraFor(operation: Operation): Extra;
  /** How a person gives a parameter of the running command: `--reason`. */
  flagOf(parameter: string): string;
  /** A hint for an error of this operation, where the service's own words leave one open. */
  explain(
    error: ApiError | NetworkError,
    operation: Operation,
    values: Values,
  ): Promise<Partial<FailureFacts> | undefined>;
}

/** An operation with its values: nothing has been sent yet. */
export interface Call<T = unknown> {
  readonly operation: Operation;
  readonly values: Values;
  /** @throws UsageError when a needed value is missing or an id cannot be sent */
  check(): void;
  /** @throws ApiError, NetworkError, UsageError */
  send(): Promise<Reply<T>>;
  /** A list, page by page in order, read ahead within the limits. */
  pages(window?: Window): AsyncGenerator<Page<T>>;
}

type Operations = typeof operations;

/** `api.members.list(values)`, typed from the table. */
export type Api = {
  readonly [Noun in keyof Operations]: {
    readonly [Verb in keyof Operations[Noun]]: Operations[Noun][Verb] extends Operation
      ? (values: ValuesOf<Operations[Noun][Verb]>) => Call<RecordOf<Operations[Noun][Verb]>>
      : never;
  };
};

/** The same error with a hint that names the command's own way out. */
const explained = async (
  error: unknown,
  channel: Channel,
  operation: Operation,
  values: Values,
): Promise<unknown> => {
  if (!(error instanceof ApiError || error instanceof NetworkError)) return error;
  const more = await channel.explain(error, operation, values);
  if (more === undefined) return error;
  const facts = { code: error.code, exit: error.exit, cause: error.cause, details: error.details };
  const words = { hint: more.hint ?? error.hint, reason: error.reason ?? more.reason };
  return error instanceof ApiError
    ? new ApiError(error.message, error.status, { ...facts, ...words })
    : new NetworkError(error.message, error.sent, { ...facts, ...words });
};

const callOf = (channel: Channel, operation: Operation, values: Values): Call => {
  const extra = channel.extraFor(operation);
  const send = async (more: Values): Promise<Reply<unknown>> => {
    try {
      const workspaceId = needsWorkspace(operation, extra) ? await channel.workspaceId() : undefined;
      const frame = { base: channel.base, workspaceId, extra, flagOf: channel.flagOf };
      const request = plan(operation, values, frame);
      const query = Object.entries(more).map(([name, value]): [string, string] => [name, String(value)]);
      const whole = query.length > 0 ? { ...request, query: [...request.query, ...query] } : request;
      return readReply(whole, await channel.transport(whole));
    } catch (error) {
      throw await explained(error, channel, operation, values);
    }
  };
  return {
    operation,
    values,
    check: () => check(operation, values, { extra, flagOf: channel.flagOf }),
    send: () => send({}),
    pages: (window) =>
      pages((query) => send(query) as Promise<Reply<readonly unknown[]>>, operation.paging, window),
  };
};

/** The client: one function for each row of the table. */
export const createApi = (channel: Channel): Api => {
  const groups = Object.entries(operations).map(([noun, verbs]) => {
    const calls = Object.entries(verbs).map(([verb, operation]) => [
      verb,
      (values: Values) => callOf(channel, operation, values),
    ]);
    return [noun, Object.fromEntries(calls)];
  });
  return Object.fromEntries(groups) as Api;
};

/** A call outside the table (`ttctl api`): sends what it is told. */
export interface RawRequest {
  readonly method: Method;
  readonly path: string;
  readonly query: Query;
  readonly body?: unknown;
}

/** @throws ApiError, NetworkError */
export const sendRaw = async <T>(
  channel: Pick<Channel, 'transport' | 'base'>,
  raw: RawRequest,
): Promise<Reply<T>> => {
  const request = { ...raw, base: channel.base, headers: {} };
  return readReply<T>(request, await channel.transport(request), true);
};
