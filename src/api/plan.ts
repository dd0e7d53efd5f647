import { UsageError } from '../errors.ts';
import type { HttpQuery, HttpRequest } from '../http/transport.ts';
import { toText } from '../json.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { quoteText } from '../parsing/text.ts';
import { nounOf, type Operation, type Parameter, resolveLocation } from './operation.ts';

/**
 * Which words can be no id, as people write them: one home for all records. People, projects, contracts and tasks are
 * numbered; ids of other records are texts of any layout. An id that the service has sent is never judged.
 */

/** Path parameters that are whole numbers. */
export const WHOLE_IDS: ReadonlySet<string> = new Set([
  'memberId',
  'userId',
  'viewerId',
  'projectId',
  'contractId',
  'taskId',
]);

/** Random ids without a digit are rare, and longer than the words that people write. */
const MAX_WORD_LENGTH = 20;

/** Whether it can be the name or the address of a person, and no id that is a text of any layout. */
export function isPersonText(text: string): boolean {
  return ['a word', 'an e-mail address'].includes(findIdProblem(text, false) ?? '');
}

/** What it is, where no record has this id; undefined where one may have it. */
function findIdProblem(text: string, numbered: boolean): string | undefined {
  if (/^\s*[#;]|\s#/.test(text)) return 'a comment';
  if (text.includes('@')) return 'an e-mail address';
  if (/^id$/i.test(text)) return 'the heading of a column';
  if (numbered) return /^\d+$/.test(text) ? undefined : 'not a whole number';
  if (/\s\s|[\t,"|]/.test(text)) return 'a row of a table';
  if (!/[\p{L}\p{N}]/u.test(text)) return 'neither letters nor digits';
  return isWord(text) ? 'a word' : undefined;
}

/** Letters alone, with no capital after a small one: `samir`, `ID`, `Mei-Lin`. */
function isWord(text: string): boolean {
  return text.length < MAX_WORD_LENGTH && /^[\p{L}\p{M} .'’-]+$/u.test(text) && !/\p{Ll}\p{Lu}/u.test(text);
}

/** `leaveRequestId` → `the id of a leave request`. */
function describeIdParameter(name: string, operation: Operation): string {
  const record =
    name === 'id' ? nounOf(operation).replace(/-/g, ' ').replace(/s$/, '') : name.replace(/Id$/, '');
  const words =
    record === 'user' ? 'member' : record.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `the id of ${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

interface IdParameter {
  /** Of the path parameter. */
  readonly name: string;
  readonly operation: Operation;
  readonly commandLine: CommandLine;
}

function formatListCommand({ name, operation, commandLine }: IdParameter): string {
  const noun = name === 'userId' ? 'members' : nounOf(operation);
  return noun === 'tasks'
    ? commandLine`ttctl tasks list --project <project>`
    : commandLine`ttctl ${noun} list`;
}

/**
 * @throws UsageError for a word that no record of this kind has as its id
 */
export function checkIdParameter(text: string, parameter: IdParameter): void {
  const { name, operation } = parameter;
  const problem = findIdProblem(text, WHOLE_IDS.has(name));
  if (problem === undefined) return;
  throw new UsageError(
    `${quoteText(text)} cannot be ${describeIdParameter(name, operation)}: it is ${problem}`,
    {
      hint: `Find the id with: ${formatListCommand(parameter)}; to pipe ids, add --output ids`,
    },
  );
}

/** Values by the API's own names; `undefined` means not given. */
export type Values = Readonly<Record<string, unknown>>;

/** What `--param`, `--field` and `--input` add to what the options know. */
export interface Extra {
  readonly query: HttpQuery;
  readonly body: Readonly<Record<string, unknown>>;
  /** A whole body; values and `body` lay over it. */
  readonly input: Readonly<Record<string, unknown>>;
}

export const NO_EXTRA: Extra = { query: [], body: {}, input: {} };

export interface PlanContext {
  readonly base: string;
  /** Needed where the operation takes one, unless the body brings its own. */
  readonly workspaceId: number | undefined;
  readonly extra: Extra;
  /** How a person gives a parameter: `--reason`. For messages. */
  readonly flagOf: (parameter: string) => string;
}

/** Blanks, and what stands for stdin or for a folder: no record has such an id. */
const INVALID_IDS = new Set(['', '-', '.', '..']);

/**
 * A value as one path segment. Ids are opaque, so anything is allowed that cannot change the path.
 * @throws UsageError for blanks, `-`, `.`, `..`, and anything with a slash, backslash, control character or half a character
 */
export function encodePathSegment(value: string, what: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (INVALID_IDS.has(value.trim()) || /[/\\\u0000-\u001f\u007f\p{Cs}]/u.test(value)) {
    throw new UsageError(`${quoteText(value)} cannot be ${what}`, {
      reason: 'An id is one segment of a URL path: not blank, not "-" or "..", and without "/".',
    });
  }
  return encodeURIComponent(value);
}

const PATH_PARAMETER = /\{(\w+)\}/g;

function buildPath(operation: Operation, values: Values): string {
  return operation.path.replace(PATH_PARAMETER, (_, name: string) =>
    encodePathSegment(toText(values[name]), describeIdParameter(name, operation)),
  );
}

function listValuesAt(operation: Operation, values: Values, isWanted: (place: string) => boolean) {
  return Object.entries(operation.parameters)
    .filter(
      ([name, parameter]: [string, Parameter]) =>
        isWanted(resolveLocation(operation, parameter)) && values[name] !== undefined,
    )
    .map(([name]): [string, unknown] => [name, values[name]]);
}

function buildBody(operation: Operation, values: Values, extra: Extra): Record<string, unknown> {
  return {
    ...extra.input,
    ...Object.fromEntries(listValuesAt(operation, values, (place) => place === 'body' || place === 'both')),
    ...extra.body,
  };
}

/** The needed parameters that have no value, wherever it could come from. */
export function listMissing(operation: Operation, values: Values, extra: Extra): readonly string[] {
  const body = buildBody(operation, values, extra);
  const inQuery = new Set(extra.query.map(([name]) => name));
  return Object.entries(operation.parameters)
    .filter(([, parameter]) => parameter.required)
    .filter(([name, parameter]) => {
      const fromQuery = resolveLocation(operation, parameter) === 'query';
      return fromQuery ? values[name] === undefined && !inQuery.has(name) : (body[name] ?? '') === '';
    })
    .map(([name]) => name);
}

/** The fields of an update of which any will do; none where some are needed, or nothing is changed. */
export function listChangeable(operation: Operation): readonly string[] {
  const fields = Object.entries(operation.parameters).filter(([, parameter]) => parameter.place !== 'both');
  if (operation.method !== 'PUT' || fields.some(([, parameter]) => parameter.required)) return [];
  return fields.map(([name]) => name);
}

/** Whether an update, all of whose fields may be left out, was given none of them. */
export function isEmptyUpdate(operation: Operation, values: Values, extra: Extra): boolean {
  const fields = listChangeable(operation);
  const raw = [...Object.keys(extra.input), ...Object.keys(extra.body)];
  return fields.length > 0 && raw.length === 0 && fields.every((name) => values[name] === undefined);
}

/**
 * Whether the needed values of an operation are there, wherever they come from.
 * @throws UsageError that names the flags of those that are not, or for an update that says nothing
 */
export function checkRequired(
  operation: Operation,
  values: Values,
  context: Pick<PlanContext, 'extra' | 'flagOf'>,
): void {
  if (isEmptyUpdate(operation, values, context.extra)) {
    throw new UsageError('nothing to change', { code: 'missing_value', hint: 'Pass at least one field.' });
  }
  const absent = listMissing(operation, values, context.extra);
  if (absent.length === 0) return;
  throw new UsageError(`missing ${absent.map(context.flagOf).join(', ')}`, { code: 'missing_value' });
}

/** As `checkRequired`, and whether the ids can be sent. @throws UsageError */
export function check(
  operation: Operation,
  values: Values,
  frame: Pick<PlanContext, 'extra' | 'flagOf'>,
): void {
  buildPath(operation, values);
  checkRequired(operation, values, frame);
}

/** Of ids that a person wrote. @throws UsageError for a word that can be no id */
export function checkIdWords(operation: Operation, values: Values, commandLine: CommandLine): void {
  for (const [, name = ''] of operation.path.matchAll(PATH_PARAMETER))
    checkIdParameter(toText(values[name]), { name, operation, commandLine });
}

/** The workspace that a request brings itself. */
export function ownWorkspace({ input, body, query }: Extra): unknown {
  return body.workspace_id ?? input.workspace_id ?? query.find(([name]) => name === 'workspace_id')?.[1];
}

/** Whether a workspace has to be known before this can be planned. */
export function needsWorkspace(operation: Operation, extra: Extra): boolean {
  return operation.workspace !== 'none' && ownWorkspace(extra) === undefined;
}

/**
 * Operation and values to a request record. Pure.
 * @throws UsageError for a missing value, or an id that cannot be a path segment
 */
export function buildRequest(operation: Operation, values: Values, context: PlanContext): HttpRequest {
  check(operation, values, context);
  const { extra } = context;
  const isWrite = operation.method !== 'GET';
  const body = isWrite ? buildBody(operation, values, extra) : {};
  const workspace = body.workspace_id ?? context.workspaceId;
  const location = operation.workspace;
  const query: [string, string][] = [];
  if ((location === 'query' || location === 'both') && workspace !== undefined) {
    if (!extra.query.some(([name]) => name === 'workspace_id'))
      query.push(['workspace_id', toText(workspace)]);
  }
  for (const [name, value] of listValuesAt(operation, values, (at) => at === 'query' || at === 'both')) {
    query.push([name, toText(value)]);
  }
  for (const [name, value] of extra.query) query.push([name, value]);
  const fullBody = location === 'body' || location === 'both' ? { workspace_id: workspace, ...body } : body;
  return {
    method: operation.method,
    base: context.base,
    path: buildPath(operation, values),
    query,
    headers: {},
    ...(isWrite && Object.keys(fullBody).length > 0 ? { body: fullBody } : {}),
  };
}

/** Whether the table has a place for a value in the requests of an operation. */
export function hasParameter({ path, parameters }: Operation, name: string): boolean {
  return path.includes(`{${name}}`) || Object.hasOwn(parameters, name);
}
