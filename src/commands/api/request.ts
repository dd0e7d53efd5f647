import { allOperations } from '../../api/operations.ts';
import type { RawRequest } from '../../api/raw.ts';
import { readSecrets } from '../../changes/input/files.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { isSecretKey } from '../../http/redact.ts';
import type { HttpQuery, Method } from '../../http/transport.ts';
import { isRecord, toText } from '../../json.ts';
import type { RawParameters } from '../values.ts';

/** A call as the command line gives it: checked, but not against the table, which only says where `workspace_id` goes. */

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const isMethod = (text: string): boolean => METHODS.includes(text.toUpperCase());

const parseMethod = (text: string): Method => {
  if (isMethod(text)) return text.toUpperCase() as Method;
  throw new UsageError(`"${text}" is not an HTTP method`, {
    hint: text.includes('/')
      ? 'One path is taken. To filter the response, use --query with a JMESPath expression.'
      : `Use ${METHODS.join(', ')}.`,
  });
};

/** What URLs read as `.` and `..`, by which a path would leave the base URL. */
const DOT_SEGMENT = /^(\.|%2e){1,2}$/i;
/** An address of its own, a fragment, or what a URL parser would turn into a slash or drop. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const INVALID_PATH = /^[a-z][a-z\d+.-]*:|^\/\/|[\\#\u0000-\u001f]/i;

/** `C:/Program Files/Git/members`: what Git Bash makes of `/members`. */
const DRIVE = /^[a-z]:[\\/]/i;

const getPathHint = (path: string): string =>
  DRIVE.test(path)
    ? 'Git Bash rewrites a leading slash. Omit it: members/17'
    : 'Use a path such as /members/17';

/**
 * @param base the base URL of this run: an address below it is a path too
 * @throws UsageError for another address
 */
export const parsePath = (text: string, base: string | undefined): { path: string; query: HttpQuery } => {
  const below = base !== undefined && text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const queryStart = below.indexOf('?');
  const [path, search] =
    queryStart < 0 ? [below, ''] : [below.slice(0, queryStart), below.slice(queryStart + 1)];
  if (INVALID_PATH.test(path) || path.split('/').some((part) => DOT_SEGMENT.test(part)))
    throw new UsageError(`"${text}" is not a path under the base URL`, { hint: getPathHint(path) });
  return { path: `/${path.replace(/^\/+/, '')}`, query: [...new URLSearchParams(search)] };
};

/** What `ttctl` sets itself, and why. */
const OWN_HEADERS = new Map([
  ['host', 'Requests go to the base URL of the profile.'],
  ['connection', 'It belongs to the connection.'],
  ['content-length', 'It is computed from the body.'],
  ['transfer-encoding', 'It belongs to the connection.'],
  ['x-request-id', 'It is the id of the request in the history.'],
]);

/** By these a service may take a read for a write, or another path: past dry runs, read-only profiles and scopes. */
const OVERRIDE_HEADER = /method|^x-(?:original|rewrite|override)/;

/** @param isFromFile whether others cannot see it: command lines are seen, and written down */
const parseHeader = (text: string, isFromFile: boolean): [name: string, value: string] => {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/s.exec(text) ?? [];
  if (name === '')
    throw new UsageError('a header must be written as name:value', { hint: '-H "Accept-Language: de"' });
  // Some servers read `_` as `-`.
  const key = name.toLowerCase().replaceAll('_', '-');
  if (/^(?:proxy-)?authorization$/.test(key))
    throw new UsageError(`the header ${name} is set by ttctl`, {
      hint: 'For the token, set TTCTL_TOKEN or sign in.',
    });
  if (!isFromFile && isSecretKey(key))
    throw new UsageError(`the header ${name} holds a secret, and secrets cannot be passed as flags`, {
      hint: 'Read it from a file with a line "name: value": -H @file',
    });
  const reason = OWN_HEADERS.get(key);
  if (reason !== undefined) throw new UsageError(`the header ${name} is set by ttctl`, { reason });
  if (OVERRIDE_HEADER.test(key))
    throw new UsageError(`the header ${name} would make another request of this one`, {
      hint: 'Say the method and the path as they are: -X DELETE /members/17',
    });
  if (key === 'content-type' && !/^application\/json\s*(;|$)/i.test(value))
    throw new UsageError('the body is always sent as application/json');
  return [name.toLowerCase(), value];
};

/** `name: value`, or `@file`: one header a line. */
const readHeaders = async (
  { machine }: Context,
  texts: readonly string[],
): Promise<Readonly<Record<string, string>>> => {
  const headers: [name: string, value: string][] = [];
  for (const text of texts) {
    if (!text.startsWith('@')) headers.push(parseHeader(text, false));
    else
      for (const line of (await readSecrets(machine, text.slice(1))).split(/\r?\n/))
        if (line.trim() !== '') headers.push(parseHeader(line, true));
  }
  return Object.fromEntries(headers);
};

const hasField = (value: unknown, name: string): boolean => isRecord(value) && Object.hasOwn(value, name);

/** Whether the service reads `workspace_id` only in the body of this call. */
const takesWorkspaceInBody = ({ method, path }: RawRequest): boolean =>
  allOperations().some(
    (operation) =>
      operation.workspace === 'body' &&
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path),
  );

const withWorkspace = async (context: Context, raw: RawRequest): Promise<RawRequest> => {
  if (raw.query.some(([name]) => name === 'workspace_id') || hasField(raw.body, 'workspace_id')) return raw;
  const workspace = await context.knownWorkspaceId();
  if (workspace === undefined) return raw;
  const { body = {} } = raw;
  return isRecord(body) && takesWorkspaceInBody(raw)
    ? { ...raw, body: { workspace_id: workspace, ...body } }
    : { ...raw, query: [['workspace_id', String(workspace)], ...raw.query] };
};

/** Fields lie over an `--input` that is an object. */
const buildBody = ({ fields, input }: RawParameters): unknown => {
  if (Object.keys(fields).length === 0) return input;
  if (input === undefined) return fields;
  if (!isRecord(input)) {
    throw new UsageError('--field needs a JSON object in --input');
  }
  return { ...input, ...fields };
};

export interface RequestOptions {
  readonly method?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly workspace?: boolean | undefined;
}

/** The method that is written, else the one that a body means. */
const chooseMethod = (words: readonly (string | undefined)[], given: boolean): Method => {
  const [method, other] = words.flatMap((word) => (word === undefined ? [] : parseMethod(word)));
  if (other !== undefined && other !== method)
    throw new UsageError(`the method is both ${method} and ${other}`, { hint: 'Name it once.' });
  return method ?? (given ? 'POST' : 'GET');
};

/**
 * The request of `api [method] <path>`. Fields are the query of a GET, and the body of every other request.
 * @throws UsageError for what cannot be sent
 */
export const buildApiRequest = async (
  context: Context,
  words: readonly string[],
  { method: flag, header = [], workspace }: RequestOptions,
): Promise<RawRequest> => {
  const [word, pathText = ''] = words.length > 1 ? words : [undefined, ...words];
  if (word === undefined && isMethod(pathText))
    throw new UsageError('missing <path>', {
      hint: `Write the path too: ${context.commandLine`ttctl api -X ${pathText} /members`}`,
    });
  const { raws } = context;
  const method = chooseMethod([flag, word], raws.input !== undefined || Object.keys(raws.fields).length > 0);
  const { path, query } = parsePath(pathText, context.settings.baseUrl?.value);
  const isGet = method === 'GET';
  const fieldQuery = isGet
    ? Object.entries(raws.fields).map(([name, value]) => [name, toText(value)] as const)
    : [];
  const body = isGet ? raws.input : buildBody(raws);
  const request: RawRequest = {
    method,
    path,
    query: [...query, ...raws.query, ...fieldQuery],
    headers: await readHeaders(context, header),
    ...(body === undefined ? {} : { body }),
  };
  return workspace === false ? request : withWorkspace(context, request);
};
