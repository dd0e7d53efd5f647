import type { Identity } from '../auth/session.ts';
import { ApiError, hasUnknownOutcome, UsageError } from '../errors.ts';
import {
  type Headers,
  type HttpQuery,
  type HttpRequest,
  type HttpResponse,
  isWrite,
  type Method,
  REQUEST_ID,
  type Transport,
} from '../http/transport.ts';
import { parseJson, toText } from '../json.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { findHint } from './hints.ts';
import type { Operation, ValuesOf } from './operation.ts';
import { findOperation, operations } from './operations.ts';
import { fetchPages, type ListPage, type PageWindow, type Row } from './page.ts';
import { buildRequest, checkIdParameter, type Extra, hasParameter, type Values } from './plan.ts';
import { type ApiReply, readReply } from './reply.ts';

/** What the client needs from outside. */
export interface ApiConnection {
  readonly transport: Transport;
  readonly base: string;
  /** The workspace of this run. @throws UsageError when there is none */
  workspaceId(): Promise<number>;
  /** Raw additions to this operation's request (`--param`, `--field`, `--input`). */
  extraFor(operation: Operation): Extra;
  /** How a person gives a parameter of the running command: `--reason`. */
  flagOf(parameter: string): string;
  /** Command lines, to be copied, that go where this run goes. */
  readonly commandLine: CommandLine;
  redact(value: unknown): unknown;
  /** The numbers of this run's answers that were rounded, as text: such a one names no record, or another one. */
  readonly rounded: ReadonlySet<string>;
  onReply(operation: Operation, values: Values, request: HttpRequest, reply: ApiReply): void;
  identity(): Promise<Identity>;
  knownWorkspaceId(): Promise<number | undefined>;
}

interface SendOptions {
  /** Called right before the request is sent, after all waiting; when it rejects, nothing is sent. */
  readonly beforeSend?: (() => Promise<void>) | undefined;
  /** Sent as `X-Request-Id`. */
  readonly requestId?: string | undefined;
  /** What logs call the record. Default: its id. */
  readonly target?: string;
}

/** An operation with its values: nothing has been sent yet. */
export class ApiCall {
  readonly operation: Operation;
  /** By the API's names: what `--input` and `--field` add is among them, the filters that chose the record are not. */
  readonly values: Values;
  readonly commandLine: CommandLine;
  readonly redact: ApiConnection['redact'];
  readonly #connection: ApiConnection;
  readonly #given: Values;
  readonly #extra: Extra;

  constructor(connection: ApiConnection, operation: Operation, given: Values, extra: Extra) {
    const known = Object.entries(given).filter(
      ([name, value]) => value !== undefined && hasParameter(operation, name),
    );
    this.operation = operation;
    this.values = { ...extra.input, ...Object.fromEntries(known), ...extra.body };
    this.commandLine = connection.commandLine;
    this.redact = connection.redact;
    this.#connection = connection;
    this.#given = given;
    this.#extra = extra;
  }

  /** @param ids `written` by a person: words that can be no id are refused @throws UsageError for what cannot be sent */
  check(ids?: 'written'): void {
    const { operation, commandLine } = this;
    this.#build(undefined);
    for (const name of ids === undefined ? [] : operation.idNames)
      checkIdParameter(toText(this.#given[name]), { name, operation, commandLine });
  }

  /** The workspace that this needs of the run; a name is looked up. @throws UsageError when there is none */
  async requireWorkspace(): Promise<number | undefined> {
    const isNamed = this.#extra.query.some(([name]) => name === 'workspace_id');
    return this.operation.workspace === 'none' || isNamed ? undefined : this.#connection.workspaceId();
  }

  /** @param page which page, where it is a list @throws ApiError, NetworkError, UsageError */
  async send(options: SendOptions = {}, page: Readonly<Record<string, number>> = {}): Promise<ApiReply<Row>> {
    const { operation, commandLine } = this;
    const [connection, given] = [this.#connection, this.#given];
    const { requestId, beforeSend, target = given[operation.idName] } = options;
    try {
      const built = this.#build(await this.requireWorkspace());
      const paging = Object.entries(page).map(([name, value]) => [name, String(value)] as const);
      const request: HttpRequest = {
        ...built,
        query: [...built.query, ...paging],
        headers: requestId === undefined ? {} : { [REQUEST_ID]: requestId },
        ...(beforeSend && { beforeSend }),
        about: { operation: operation.id, target: target == null ? undefined : toText(target) },
      };
      const reply = readReply<Row>(request, await connection.transport(request), operation.returns);
      connection.onReply(operation, given, request, reply);
      return reply;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // An operation that takes no workspace may be the very look-up of its name: to wait for that would be for ever.
      const workspace = operation.workspace === 'none' ? undefined : await connection.knownWorkspaceId();
      const context = { identity: await connection.identity(), workspace, commandLine };
      error.hint = findHint(error, operation, given, context) ?? error.hint;
      throw error;
    }
  }

  /** A list (`fetchPages`). @param window without one, it is wanted whole */
  pages(window?: PageWindow): AsyncGenerator<ListPage> {
    const noun = this.operation.noun.replaceAll('-', ' ');
    return fetchPages((page) => this.send({}, page), this.operation.paging, noun, window);
  }

  #build(workspaceId: number | undefined): HttpRequest {
    const { base, flagOf, rounded } = this.#connection;
    const lost = Object.values(this.#given)
      .map(toText)
      .find((text) => rounded.has(text));
    if (lost !== undefined)
      throw new UsageError(`the id ${lost} was not read exactly: it has more digits than can be kept`, {
        reason: 'Another record may have this id.',
      });
    return buildRequest(this.operation, this.#given, { base, workspaceId, extra: this.#extra, flagOf });
  }
}

type Operations = typeof operations;

/** `api.members.list(values)`, typed from the table; `api.call` for an operation that is known by its row alone. */
export type Api = {
  readonly [Noun in keyof Operations]: {
    readonly [Verb in keyof Operations[Noun]]: Operations[Noun][Verb] extends Operation
      ? (values: ValuesOf<Operations[Noun][Verb]>, extra?: Extra) => ApiCall
      : never;
  };
} & { readonly call: (operation: Operation, values: Values, extra?: Extra) => ApiCall };

export function createApi(connection: ApiConnection): Api {
  const call: Api['call'] = (operation, values, extra = connection.extraFor(operation)) =>
    new ApiCall(connection, operation, values, extra);
  const api: Record<string, unknown> = { call };
  for (const [noun, rows] of Object.entries(operations)) {
    const verbs = Object.entries(rows).map(([verb, operation]) => [
      verb,
      (values: Values, extra?: Extra) => call(operation, values, extra),
    ]);
    api[noun] = Object.fromEntries(verbs);
  }
  return api as unknown as Api;
}

/** Builds a call again. Values that the table does not know, from `--field` or `--input`, go into the body, as they did. */
export function buildCall(api: Api, id: string, values: Values): ApiCall | undefined {
  const operation = findOperation(id);
  if (operation === undefined) return undefined;
  const known: Record<string, unknown> = {};
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values))
    (hasParameter(operation, name) ? known : input)[name] = value;
  return api.call(operation, known, { query: [], body: {}, input });
}

export interface RawRequest extends SendOptions {
  readonly method: Method;
  readonly path: string;
  readonly query: HttpQuery;
  readonly headers?: Headers;
  readonly body?: unknown;
  /** Whether a success that is not JSON is taken too. A page for people is none: it comes from elsewhere. */
  readonly anyType?: boolean;
  /** Called with the answer, a refusal too. */
  readonly onResponse?: (response: HttpResponse) => void;
}

/** Sends a request outside the table. @throws ApiError, NetworkError */
export async function sendRaw<T>(
  connection: Pick<ApiConnection, 'transport' | 'base'>,
  raw: RawRequest,
): Promise<ApiReply<T>> {
  const { method, path, query, headers, body, anyType, onResponse, requestId, beforeSend } = raw;
  const request: HttpRequest = {
    method,
    base: connection.base,
    path,
    query,
    headers: { ...(requestId !== undefined && { [REQUEST_ID]: requestId }), ...headers },
    ...(body !== undefined && { body }),
    ...(beforeSend && { beforeSend }),
  };
  try {
    const response = await connection.transport(request);
    onResponse?.(response);
    const { status, bytes = [], body: text } = response;
    // A service may send its JSON as text; an HTML page comes from elsewhere.
    const isPage = /^\s*text\/html/i.test(response.headers['content-type'] ?? '');
    if (
      anyType &&
      status >= 200 &&
      status < 300 &&
      bytes.length > 0 &&
      !isPage &&
      'problem' in parseJson(text)
    )
      return { data: null, envelope: null, bytes: response.bytes };
    return readReply<T>(request, response, 'any');
  } catch (error) {
    if (isWrite(method) && hasUnknownOutcome(error))
      error.hint = 'It is not known whether the request was carried out: check before sending it again.';
    throw error;
  }
}
