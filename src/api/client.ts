import {
  ApiError,
  type FailureFacts,
  hasUnknownOutcome,
  NetworkError,
  UsageError,
  withHint,
} from '../errors.ts';
import {
  type HttpQuery,
  type HttpRequest,
  type HttpResponse,
  isWrite,
  type Method,
  type Transport,
} from '../http/transport.ts';
import { parseJson, toText } from '../json.ts';
import { lazyMembers } from '../lazy.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { nounOf, type Operation, type RecordOf, type ValuesOf } from './operation.ts';
import { operations } from './operations.ts';
import { fetchPages, type ListPage, type PageWindow, type Row, requireWhole } from './page.ts';
import {
  buildRequest,
  check,
  checkIdWords,
  type Extra,
  hasParameter,
  needsWorkspace,
  ownWorkspace,
  type Values,
} from './plan.ts';
import { type ApiReply, checkShape, readReply } from './reply.ts';

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
  /** Command lines that go where this run goes. @param own another workspace, which the request itself names */
  commandLineFor(own: unknown): CommandLine;
  /** Masks secrets, as in the request of a dry run. */
  redact(value: unknown): unknown;
  /** Called with every reply of the service. */
  onReply(operation: Operation, values: Values, request: HttpRequest, reply: ApiReply): void;
  /** A hint for an error of this operation, where the service's own words leave one open. */
  explain(
    error: ApiError | NetworkError,
    operation: Operation,
    values: Values,
    commandLine: CommandLine,
  ): Promise<Partial<FailureFacts> | undefined>;
}

export interface SendOptions {
  /** Called right before the request is sent, after all waiting; when it rejects, nothing is sent. */
  readonly beforeSend?: (() => Promise<void>) | undefined;
  /** Sent as `X-Request-Id`. */
  readonly requestId?: string | undefined;
  /** What logs call the record. Default: its id. */
  readonly target?: string;
}

/** An operation with its values: nothing has been sent yet. */
export interface ApiCall<T = unknown> {
  readonly operation: Operation;
  /** By the API's names; what `--input` and `--field` add is among them. */
  readonly values: Values;
  /** The workspace that the request itself names, where that is not the run's. */
  readonly ownWorkspace?: unknown;
  /** Command lines, to be copied, that go to the profile and the workspace that this goes to. */
  readonly commandLine: CommandLine;
  /** Masks secrets in what is shown of this call. */
  readonly redact: ApiConnection['redact'];
  /**
   * @param ids whether a person wrote them: words that can be no id are refused then
   * @throws UsageError when a needed value is missing or an id cannot be sent
   */
  check(ids?: 'written'): void;
  /** Whether the run has the workspace that it needs; a name is looked up. @throws UsageError when there is none */
  requireWorkspace(): Promise<void>;
  /** @throws ApiError, NetworkError, UsageError */
  send(options?: SendOptions): Promise<ApiReply<T>>;
  /**
   * A list, page by page in order, read ahead within the limits.
   * @param window of a list that is shown; without one, it throws a Failure at the end of a list that came short
   */
  pages(window?: PageWindow): AsyncGenerator<ListPage<T>>;
}

type Operations = typeof operations;

/** `api.members.list(values)`, typed from the table. */
export type Api = {
  readonly [Noun in keyof Operations]: {
    readonly [Verb in keyof Operations[Noun]]: Operations[Noun][Verb] extends Operation
      ? (values: ValuesOf<Operations[Noun][Verb]>, extra?: Extra) => ApiCall<RecordOf<Operations[Noun][Verb]>>
      : never;
  };
};

/** The id goes in a header, what else is said of sending beside the request. */
export function toSending({
  requestId,
  beforeSend,
}: SendOptions): Pick<HttpRequest, 'headers' | 'beforeSend'> {
  return {
    ...(beforeSend && { beforeSend }),
    headers: requestId === undefined ? {} : { 'x-request-id': requestId },
  };
}

/** The id in the path, where there is one. */
function findPathId({ path }: Operation, values: Values): string | undefined {
  const id = values[/\{(\w+)\}/.exec(path)?.[1] ?? ''];
  return id == null ? undefined : toText(id);
}

/** A list as pages: a whole one, or what is shown of it. */
function listPages(
  fetch: (query: Values) => Promise<ApiReply<unknown>>,
  operation: Operation,
  window: PageWindow | undefined,
): AsyncGenerator<ListPage<unknown>> {
  const read = fetch as (query: Values) => Promise<ApiReply<readonly unknown[]>>;
  const pages = fetchPages(read, operation.paging, window);
  return window === undefined ? requireWhole(pages, nounOf(operation).replaceAll('-', ' ')) : pages;
}

/** A number that JavaScript has rounded names no record, or another one. @throws UsageError */
function refuseRounded(values: Values, rounded: ReadonlySet<string>): void {
  const lost = Object.values(values)
    .map(toText)
    .find((text) => rounded.has(text));
  if (lost === undefined) return;
  throw new UsageError(`the id ${lost} was not read exactly: it has more digits than can be kept`, {
    reason: 'Another record may have this id.',
  });
}

/** @param rounded the numbers of this run's answers that were rounded, as text: is added to */
function createCall(
  connection: ApiConnection,
  rounded: Set<string>,
  operation: Operation,
  values: Values,
  extra: Extra,
): ApiCall {
  const own = ownWorkspace(extra);
  const commandLine = connection.commandLineFor(own);
  const getWorkspace = async () => (needsWorkspace(operation, extra) ? connection.workspaceId() : undefined);
  const send = async (pageQuery: Values, options: SendOptions = {}): Promise<ApiReply<unknown>> => {
    try {
      const workspaceId = await getWorkspace();
      const planContext = { base: connection.base, workspaceId, extra, flagOf: connection.flagOf };
      refuseRounded(values, rounded);
      const request = buildRequest(operation, values, planContext);
      const query = Object.entries(pageQuery).map(([name, value]): [string, string] => [name, String(value)]);
      const about = { operation: operation.id, target: options.target ?? findPathId(operation, values) };
      const fullRequest = { ...request, query: [...request.query, ...query], ...toSending(options), about };
      const response = await connection.transport(fullRequest);
      const reply = readReply(fullRequest, response);
      checkShape(fullRequest, reply, response.status, operation.returns);
      for (const number of reply.rounded?.keys() ?? []) rounded.add(String(number));
      connection.onReply(operation, values, fullRequest, reply);
      return reply;
    } catch (error) {
      throw await addHint(error, connection, { operation, values, commandLine });
    }
  };
  return {
    operation,
    values: mergeValues(operation, values, extra),
    ownWorkspace: own,
    commandLine,
    redact: connection.redact,
    check: (ids) => {
      check(operation, values, { extra, flagOf: connection.flagOf });
      refuseRounded(values, rounded);
      if (ids === 'written') checkIdWords(operation, values, commandLine);
    },
    requireWorkspace: async () => void (await getWorkspace()),
    send: (options) => send({}, options),
    pages: (window) => listPages((query) => send(query), operation, window),
  };
}

/** The error with a hint for the running command, where the connection has one. */
async function addHint(
  error: unknown,
  connection: ApiConnection,
  { operation, values, commandLine }: Pick<ApiCall, 'operation' | 'values' | 'commandLine'>,
): Promise<unknown> {
  if (!(error instanceof ApiError || error instanceof NetworkError)) return error;
  const advice = await connection.explain(error, operation, values, commandLine);
  if (advice === undefined) return error;
  return withHint(error, { hint: advice.hint ?? error.hint });
}

/** All values that a request carries, laid over each other as `buildRequest` does; not the filters that chose its record. */
function mergeValues(operation: Operation, values: Values, { input, body }: Extra): Values {
  const given = Object.entries(values).filter(
    ([name, value]) => value !== undefined && hasParameter(operation, name),
  );
  return { ...input, ...Object.fromEntries(given), ...body };
}

/** The client: one function for each row of the table. */
export function createApi(connection: ApiConnection): Api {
  const rounded = new Set<string>();
  const createCalls = (verbs: Readonly<Record<string, Operation>>) =>
    Object.fromEntries(
      Object.entries(verbs).map(([verb, operation]) => [
        verb,
        (values: Values, extra?: Extra) =>
          createCall(connection, rounded, operation, values, extra ?? connection.extraFor(operation)),
      ]),
    );
  const nouns = Object.keys(operations) as (keyof Operations)[];
  const groups = nouns.map((noun) => [noun, () => createCalls(operations[noun])]);
  return lazyMembers(Object.fromEntries(groups)) as Api;
}

/** The calls of operations that are known by their rows, or their ids, alone. */

interface FoundOperation {
  readonly operation: Operation;
  readonly call: (values: Values, extra?: Extra) => ApiCall<Row>;
}

/** An operation by its id. Undefined for an id that is not in the table. */
export function findOperationCall(api: Api, id: string): FoundOperation | undefined {
  const [noun = '', verb = ''] = id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()).split('.');
  if (!Object.hasOwn(operations, noun)) return undefined;
  const verbs: Readonly<Record<string, Operation>> = operations[noun as keyof typeof operations];
  const operation = verbs[verb];
  // `timeRequests.create` is how the table is written, and no id.
  if (operation?.id !== id) return undefined;
  const calls = (api as unknown as Record<string, Record<string, FoundOperation['call']>>)[noun];
  return { operation, call: calls?.[verb] as FoundOperation['call'] };
}

/** The same of a row of the table. */
export function callOperation(api: Api, { id }: Operation): FoundOperation['call'] {
  return (findOperationCall(api, id) as FoundOperation).call;
}

/**
 * Builds a call again from its `operation.id` and `values`. Values that the table does not know,
 * from `--field` or `--input`, go into the body, as they did. Undefined for an id that is not in the table.
 */
export function buildCall(api: Api, id: string, values: Values): ApiCall | undefined {
  const found = findOperationCall(api, id);
  if (found === undefined) return undefined;
  const isKnown = ([name]: [string, unknown]) => hasParameter(found.operation, name);
  const pairs = Object.entries(values);
  const input = Object.fromEntries(pairs.filter((pair) => !isKnown(pair)));
  return found.call(Object.fromEntries(pairs.filter(isKnown)), { query: [], body: {}, input });
}

/** A request outside the table (`ttctl api`), sent as it is given. */
export interface RawRequest extends SendOptions {
  readonly method: Method;
  readonly path: string;
  readonly query: HttpQuery;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Whether a success that is not JSON is taken too. A page for people is none: it comes from elsewhere. */
  readonly anyType?: boolean;
  /** Called with the answer, a refusal too. */
  readonly onResponse?: (response: HttpResponse) => void;
}

function isOtherType({ status, headers, bytes, body }: HttpResponse): boolean {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (status < 200 || status >= 300 || bytes === undefined || bytes.length === 0 || type === 'text/html')
    return false;
  return !['', 'text/plain'].includes(type) || 'problem' in parseJson(body);
}

const UNKNOWN_OUTCOME_HINT =
  'It is not known whether the request was carried out: check before sending it again.';

/**
 * Sends a request outside the table. The error of a write whose outcome is unknown says so in its hint: there is no
 * record to compare with.
 * @throws ApiError, NetworkError
 */
export async function sendRaw<T>(
  connection: Pick<ApiConnection, 'transport' | 'base'>,
  raw: RawRequest,
): Promise<ApiReply<T>> {
  const { method, path, query, headers, body, anyType, onResponse, ...options } = raw;
  const request = { method, path, query, ...(body === undefined ? {} : { body }), base: connection.base };
  const sending = toSending(options);
  const fullRequest = { ...request, ...sending, headers: { ...sending.headers, ...headers } };
  try {
    const response = await connection.transport(fullRequest);
    onResponse?.(response);
    if (anyType && isOtherType(response))
      return { data: null, message: undefined, pagination: undefined, envelope: null, bytes: response.bytes };
    return readReply<T>(fullRequest, response, true);
  } catch (error) {
    if (!isWrite(raw.method) || !hasUnknownOutcome(error)) throw error;
    throw withHint(error, { hint: UNKNOWN_OUTCOME_HINT });
  }
}
