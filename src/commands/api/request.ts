import type { RawRequest } from '../../api/client.ts';
import type { ListPage, Row } from '../../api/page.ts';
import { fetchPages } from '../../api/pages.ts';
import type { Context, RawParameters } from '../../context.ts';
import type { HttpQuery, Method } from '../../http/transport.ts';
import { isRecord } from '../../json/number.ts';
import { UsageError } from '../../outcome.ts';

/** A call as the command line gives it: checked, but not against the table. */

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const parseMethod = (text: string): Method => {
  const method = text.toUpperCase();
  if (!METHODS.includes(method))
    throw new UsageError(`"${text}" is not an HTTP method`, { hint: `Use ${METHODS.join(', ')}.` });
  return method as Method;
};

/** What URLs read as `.` and `..`, by which a path would leave the base URL. */
const DOT_SEGMENT = /^(\.|%2e){1,2}$/i;
/** An address of its own, a fragment, or what a URL parser would turn into a slash or drop. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const INVALID_PATH = /^[a-z][a-z\d+.-]*:|^\/\/|[\\#\u0000-\u001f]/i;

/** `C:/Program Files/Git/members`: what Git Bash makes of `/members`. */
const DRIVE = /^[a-z]:[\\/]/i;

/** A path under the base URL, with or without the leading slash; a query may stand in it. */
export const parsePath = (text: string): { path: string; query: HttpQuery } => {
  const queryStart = text.indexOf('?');
  const [path, search] =
    queryStart < 0 ? [text, ''] : [text.slice(0, queryStart), text.slice(queryStart + 1)];
  if (INVALID_PATH.test(path) || path.split('/').some((part) => DOT_SEGMENT.test(part))) {
    throw new UsageError(`"${text}" is not a path under the base URL`, {
      hint: DRIVE.test(path)
        ? 'Git Bash rewrites a leading slash. Omit it: members/17'
        : 'Use a path such as /members/17',
    });
  }
  return { path: `/${path.replace(/^\/+/, '')}`, query: [...new URLSearchParams(search)] };
};

const hasField = (value: unknown, name: string): boolean => isRecord(value) && Object.hasOwn(value, name);

export const withWorkspace = async (context: Context, raw: RawRequest): Promise<RawRequest> => {
  if (raw.query.some(([name]) => name === 'workspace_id') || hasField(raw.body, 'workspace_id')) return raw;
  const workspace = await context.knownWorkspaceId();
  return workspace === undefined
    ? raw
    : { ...raw, query: [['workspace_id', String(workspace)], ...raw.query] };
};

/** Fields lie over an `--input` that is an object. */
export const buildBody = ({ fields, input }: RawParameters): unknown => {
  if (Object.keys(fields).length === 0) return input;
  if (input === undefined) return fields;
  if (!isRecord(input)) {
    throw new UsageError('--field needs a JSON object in --input');
  }
  return { ...input, ...fields };
};

const isJson = ({ settings: { output } }: Context): boolean =>
  output.value.shape === 'document' || output.value.shape === 'json-lines';

/** What is no record has no names: it is a `value`. */
async function* asRecords(list: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
  for await (const page of list)
    yield { ...page, rows: page.rows.map((row) => (isRecord(row) ? row : { value: row })) };
}

export const printAllPages = async (context: Context, raw: RawRequest): Promise<void> => {
  const filters = raw.query.filter(([name]) => name !== 'page' && name !== 'per_page');
  const fetch = (paging: Row) =>
    context.raw<readonly Row[]>({
      ...raw,
      query: [...filters, ...Object.entries(paging).map(([n, v]): [string, string] => [n, String(v)])],
    });
  const list = fetchPages(fetch, 'pages', context.window);
  if (context.settings.output.from === 'default') {
    const rows: Row[] = [];
    for await (const page of list) rows.push(...page.rows);
    return context.output.document(rows); // JSON, like every other answer of `api`
  }
  await context.output.list(isJson(context) ? list : asRecords(list), { noun: 'records', columns: [] });
};
