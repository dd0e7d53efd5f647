import { formatSignInCommand, formatWriteScopeHint, type Identity, SIGN_IN } from '../auth/session.ts';
import { ApiError, hasUnknownOutcome, UsageError } from '../errors.ts';
import {
  type Headers,
  type HttpRequest,
  type HttpResponse,
  isWrite,
  REQUEST_ID,
  type Transport,
} from '../http/transport.ts';
import { parseJson, toText } from '../json.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { ARCHIVED } from './fields.ts';
import type { Operation, ValuesOf } from './operation.ts';
import { findOperation, operations } from './operations.ts';
import { fetchPages, type ListPage, type PageWindow, type Row } from './page.ts';
import { buildRequest, checkIdParameter, type Extra, hasParameter, type Values } from './plan.ts';
import { findRecordFacts } from './records.ts';
import { type ApiReply, readReply } from './reply.ts';

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
    const { operation } = this;
    const [connection, given] = [this.#connection, this.#given];
    const { requestId, beforeSend, target = given[operation.idName] } = options;
    try {
      const built = this.#build(await this.requireWorkspace());
      const paging = Object.entries(page).map(([name, value]) => [name, String(value)] as const);
      const request: HttpRequest = {
        ...built,
        query: [...built.query, ...paging],
        headers: requestId === undefined ? {} : { [REQUEST_ID]: requestId },
        beforeSend,
        about: { operation: operation.id, target: target == null ? undefined : toText(target) },
      };
      const reply = readReply<Row>(request, await connection.transport(request), operation.returns);
      connection.onReply(operation, given, request, reply);
      return reply;
    } catch (error) {
      if (error instanceof ApiError) error.hint = (await this.#findHint(error)) ?? error.hint;
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

  /** What to do about an answer of the service, in terms of the command line. The service's own words stay. */
  async #findHint({ status, code, message }: ApiError): Promise<string | undefined> {
    const { operation, commandLine } = this;
    const [connection, given] = [this.#connection, this.#given];
    const { noun, moves } = operation;
    if (status === 401) return adviseUnauthenticated(await connection.identity(), commandLine);
    if (code === 'insufficient_scope') return formatWriteScopeHint(await connection.identity());
    // An operation that takes no workspace may be the very look-up of its name: to wait for that would be for ever.
    const workspace = operation.workspace === 'none' ? undefined : await connection.knownWorkspaceId();
    if (status === 403) {
      const where = workspace === undefined ? '' : ` of workspace ${workspace}`;
      return `Only Owners and Executive Managers${where} may do this. See your roles: ${commandLine`ttctl workspaces list`}`;
    }
    // Whoever else answered 404 knows nothing of the record.
    if (status === 404 && code !== 'not_the_api') return adviseNotFound(this, given, workspace);
    if (status !== 400 && status !== 422) return undefined;
    if (operation.refusal) return operation.refusal(commandLine, given);
    if (moves?.from === undefined) return undefined;
    const rule = `Only ${moves.from} ${findRecordFacts(noun)?.words[1]} can be ${moves.past}`;
    const list = commandLine`ttctl ${noun} list --id ${toText(given[operation.idName])}`;
    // The service may have said so itself.
    return `${message.includes(rule) ? '' : `${rule}. `}See its status: ${list}`;
  }
}

function adviseNotFound({ operation, commandLine }: ApiCall, values: Values, workspace?: number): string {
  const { noun, idNames, idName } = operation;
  // A request names, in its order: `task 132, member 105, project 114`.
  const records = [...idNames, 'project_id'].flatMap((name) => {
    const record = name === 'userId' ? 'member' : name.replace(/(Id|_id)$/, '');
    return values[name] === undefined ? [] : [`${record} ${toText(values[name])}`];
  });
  if (records.length === 0)
    // A list is always there: what is not found is the address.
    return `The address (the version 2 root, such as https://<host>/api/v2) or the workspace may be wrong. See: ${commandLine`ttctl doctor`}`;
  const where = workspace === undefined ? '' : ` in workspace ${workspace}`;
  const one = toText(values[idName]);
  const what = records.length === 1 && one !== '' ? `${one} among the ${noun}` : records.join(', ');
  const gone = findOperation(`${noun}.archive`) ? ARCHIVED : 'gone';
  return `Looked for ${what}${where}. It may be ${gone}, or belong to another workspace (--workspace).`;
}

function adviseUnauthenticated(identity: Identity, commandLine: CommandLine): string {
  const { source, profile, kind } = identity;
  if (source === SIGN_IN)
    return 'Check that the token is complete, is for this address, and has not expired.';
  if (kind === 'sandbox')
    return `The embedded sandbox needs no sign-in: a fault may be set. See: ${commandLine`ttctl sandbox fault list`}`;
  const way =
    kind === 'environment'
      ? 'Set TTCTL_TOKEN to a valid token.'
      : kind === 'command'
        ? `Look at what the command prints, or change it: ${formatSignInCommand(identity)}`
        : `Sign in again: ${formatSignInCommand(identity)}`;
  return `The token came from ${source} (profile ${profile}). ${way}`;
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
  const nouns = Object.entries(operations).map(([noun, rows]) => {
    const verbs = Object.entries<Operation>(rows).map(([verb, row]) => [verb, call.bind(undefined, row)]);
    return [noun, Object.fromEntries(verbs)];
  });
  return { call, ...Object.fromEntries(nouns) };
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

export interface RawRequest
  extends Pick<HttpRequest, 'method' | 'path' | 'query' | 'body' | 'beforeSend'>,
    Pick<SendOptions, 'requestId'> {
  readonly headers?: Headers;
  /** Whether a success that is not JSON is taken too. A page for people is none: it comes from elsewhere. */
  readonly anyType?: boolean;
  /** Called with the answer, a refusal too. */
  readonly onResponse?: (response: HttpResponse) => void;
}

/** Sends a request outside the table. @throws ApiError, NetworkError */
export async function sendRaw<T>(
  { transport, base }: Pick<ApiConnection, 'transport' | 'base'>,
  { anyType, onResponse, requestId, ...raw }: RawRequest,
): Promise<ApiReply<T>> {
  const headers = { ...(requestId !== undefined && { [REQUEST_ID]: requestId }), ...raw.headers };
  const request: HttpRequest = { ...raw, base, headers };
  try {
    const response = await transport(request);
    onResponse?.(response);
    const { status, bytes, body } = response;
    const isTaken = anyType && status >= 200 && status < 300 && bytes !== undefined && bytes.length > 0;
    const isPage = /^\s*text\/html/i.test(response.headers['content-type'] ?? '');
    // A service may send its JSON as text.
    if (isTaken && !isPage && 'problem' in parseJson(body)) return { data: null, envelope: null, bytes };
    return readReply<T>(request, response, 'any');
  } catch (error) {
    if (isWrite(raw.method) && hasUnknownOutcome(error))
      error.hint = 'It is not known whether the request was carried out: check before sending it again.';
    throw error;
  }
}
