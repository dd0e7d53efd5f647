import { UsageError } from '../errors.ts';
import type { HttpQuery, HttpRequest } from '../http/transport.ts';
import { toText } from '../json.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { quoteText } from '../parsing/text.ts';
import type { Operation, Parameter } from './operation.ts';
import { findRecordFacts } from './records.ts';

/** Ids that are whole numbers; of the others no layout is known. */
export const WHOLE_IDS = ['memberId', 'userId', 'viewerId', 'projectId', 'contractId', 'taskId'];

/** Random ids without a digit are rare, and longer than the words that people write. */
const MAX_WORD_LENGTH = 20;

/** A comment, a row of a table or its heading, neither letters nor digits. */
const NO_ID = /^\s*[#;]|\s#|\s\s|[\t,"|]|^[iI][dD]$|^[^\p{L}\p{N}]*$/u;

/** Whether it can be the name or the address of a person, and no id that is a text of any layout. */
export function isPersonText(text: string): boolean {
  // Letters alone, with no capital after a small one: `samir`, `Mei-Lin`.
  const isWord = /^[\p{L}\p{M} .'’-]+$/u.test(text) && !/\p{Ll}\p{Lu}/u.test(text);
  return !NO_ID.test(text) && (text.includes('@') || (isWord && text.length < MAX_WORD_LENGTH));
}

function nounOf(name: string, operation: Operation): string {
  return name === 'userId' ? 'members' : operation.noun;
}

/** `leaveRequestId` → `the id of a leave request`. */
function describeIdParameter(name: string, operation: Operation): string {
  const record = findRecordFacts(nounOf(name, operation))?.words[0] ?? 'record';
  return `the id of ${/^[aeiou]/.test(record) ? 'an' : 'a'} ${record}`;
}

/** An id as a person wrote it: one that the service has sent is never judged. @throws UsageError for what can be none */
export function checkIdParameter(
  text: string,
  about: { readonly name: string; readonly operation: Operation; readonly commandLine: CommandLine },
): void {
  const { name, operation, commandLine } = about;
  if (WHOLE_IDS.includes(name) ? /^\d+$/.test(text) : !isPersonText(text) && !NO_ID.test(text)) return;
  const noun = nounOf(name, operation);
  const list =
    noun === 'tasks' ? commandLine`ttctl tasks list --project <project>` : commandLine`ttctl ${noun} list`;
  throw new UsageError(`${quoteText(text)} cannot be ${describeIdParameter(name, operation)}`, {
    hint: `Find the id with: ${list}; to pipe ids, add --output ids`,
  });
}

/** Values by the API's own names; `undefined` means not given. */
export type Values = Readonly<Record<string, unknown>>;

/** What `--param`, `--field` and `--input` add to what the options know. */
export interface Extra {
  readonly query: HttpQuery;
  readonly body: Values;
  /** A whole body; values and `body` lay over it. */
  readonly input: Values;
}

export const NO_EXTRA: Extra = { query: [], body: {}, input: {} };

interface PlanContext {
  readonly base: string;
  /** Needed where the operation takes one, unless the body brings its own. */
  readonly workspaceId: number | undefined;
  readonly extra: Extra;
  /** How a person gives a parameter: `--reason`. */
  readonly flagOf: (parameter: string) => string;
}

/** A value as one path segment: ids are opaque, so anything is allowed that cannot change the path. @throws UsageError */
export function encodePathSegment(value: string, what: () => string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/^(-|\.\.?)?$/.test(value.trim()) || /[/\\\u0000-\u001f\u007f\p{Cs}]/u.test(value)) {
    throw new UsageError(`${quoteText(value)} cannot be ${what()}`, {
      reason: 'An id is one segment of a URL path: not blank, not "-" or "..", and without "/".',
    });
  }
  return encodeURIComponent(value);
}

/** The needed parameters that have no value, wherever it could come from. */
export function listMissing(
  operation: Operation,
  values: Values,
  { query, body, input }: Extra,
): readonly string[] {
  const missing = Object.entries(operation.parameters).filter(([name, parameter]) => {
    if (!parameter.required) return false;
    return resolveLocation(operation, parameter) === 'query'
      ? values[name] === undefined && !query.some(([one]) => one === name)
      : (body[name] ?? values[name] ?? input[name] ?? '') === '';
  });
  return missing.map(([name]) => name);
}

/** The fields of an update of which any will do; none where some are needed, or nothing is changed. */
export function listChangeable(operation: Operation): readonly string[] {
  const fields = Object.entries(operation.parameters).filter(([, parameter]) => parameter.place !== 'both');
  if (operation.method !== 'PUT' || fields.some(([, parameter]) => parameter.required)) return [];
  return fields.map(([name]) => name);
}

/** Whether an update, all of whose fields may be left out, was given none of them. */
export function isEmptyUpdate(operation: Operation, values: Values, { input, body }: Extra): boolean {
  const fields = listChangeable(operation);
  const raw = [...Object.keys(input), ...Object.keys(body)];
  return fields.length > 0 && raw.length === 0 && fields.every((name) => values[name] === undefined);
}

/** @throws UsageError that names the flags of needed values that are not there, or for an update that says nothing */
export function checkRequired(
  operation: Operation,
  values: Values,
  { extra, flagOf }: Pick<PlanContext, 'extra' | 'flagOf'>,
): void {
  if (isEmptyUpdate(operation, values, extra)) {
    throw new UsageError('nothing to change', {
      code: 'missing_value',
      hint: 'Give at least one field a value.',
    });
  }
  const absent = listMissing(operation, values, extra);
  if (absent.length === 0) return;
  throw new UsageError(`missing ${absent.map(flagOf).join(', ')}`, { code: 'missing_value' });
}

/** @throws UsageError for a missing value, or an id that cannot be a path segment */
export function buildRequest(operation: Operation, values: Values, context: PlanContext): HttpRequest {
  const { method, workspace: place, parameters } = operation;
  const { base, extra, workspaceId } = context;
  let { path } = operation;
  for (const name of operation.idNames) {
    const segment = encodePathSegment(toText(values[name]), () => describeIdParameter(name, operation));
    path = path.replace(`{${name}}`, () => segment);
  }
  checkRequired(operation, values, context);
  const query: [string, string][] = [];
  const fields: Record<string, unknown> = { ...extra.input };
  for (const [name, parameter] of Object.entries(parameters)) {
    if (values[name] === undefined) continue;
    const at = resolveLocation(operation, parameter);
    if (at !== 'body') query.push([name, toText(values[name])]);
    if (at !== 'query') fields[name] = values[name];
  }
  Object.assign(fields, extra.body);
  const workspace = (method === 'GET' ? undefined : fields.workspace_id) ?? workspaceId;
  const isInQuery = (place === 'query' || place === 'both') && workspace !== undefined;
  if (isInQuery && !extra.query.some(([name]) => name === 'workspace_id'))
    query.unshift(['workspace_id', toText(workspace)]);
  const body = place === 'body' || place === 'both' ? { workspace_id: workspace, ...fields } : fields;
  const hasBody = method !== 'GET' && Object.keys(body).length > 0;
  const request = { method, base, path, query: [...query, ...extra.query], headers: {} };
  return hasBody ? { ...request, body } : request;
}

/** Whether the table has a place for a value in the requests of an operation. */
export function hasParameter({ path, parameters }: Operation, name: string): boolean {
  return path.includes(`{${name}}`) || Object.hasOwn(parameters, name);
}

function resolveLocation({ method }: Operation, { place }: Parameter) {
  return place ?? (method === 'GET' ? 'query' : 'body');
}
