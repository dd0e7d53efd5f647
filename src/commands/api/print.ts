import { collectRows, formatShortfallWarning, type ListPage, type Row } from '../../api/page.ts';
import { fetchPages } from '../../api/pages.ts';
import type { RawRequest } from '../../api/raw.ts';
import type { ApiReply } from '../../api/reply.ts';
import type { Context } from '../../context.ts';
import type { HttpResponse } from '../../http/transport.ts';
import { isRecord } from '../../json/number.ts';
import { parseJson } from '../../json/parse.ts';
import { UsageError } from '../../outcome.ts';

/** How the answer to a call is printed: whole as JSON, or its records in another format. */

export interface PrintOptions {
  readonly paginate?: boolean | undefined;
  readonly slurp?: boolean | undefined;
  readonly include?: boolean | undefined;
}

/** Whether a format, columns or an order are meant, which only records have. */
const printsRecords = ({ settings: { output, columns, sort } }: Context): boolean =>
  columns !== undefined ||
  sort !== undefined ||
  (output.from !== 'default' && output.value.shape !== 'document');

/** @throws UsageError for options that contradict each other */
export const checkPrintOptions = (
  context: Context,
  { method }: RawRequest,
  { paginate, slurp, include }: PrintOptions,
): void => {
  const { output, query, columns, sort } = context.settings;
  const isPlain = query === undefined;
  const flags = [output, columns, sort].filter((one) => one?.from === 'flag' && one.name !== '--query');
  if (paginate === true && method !== 'GET')
    throw new UsageError('--paginate works only with GET', {
      hint: 'With -X GET, fields are sent in the query.',
    });
  if (slurp === true && paginate !== true) throw new UsageError('--slurp needs --paginate');
  if (include === true && (paginate === true || flags.length > 0))
    throw new UsageError('--include prints a single response as text', {
      hint: 'Omit --paginate, --output, --columns and --sort.',
    });
  if (slurp === true && isPlain && printsRecords(context))
    throw new UsageError('--slurp prints one JSON array of pages', {
      hint: 'Omit --slurp to print the records of all pages.',
    });
  if (sort !== undefined && !isPlain && paginate !== true)
    throw new UsageError('--sort cannot be combined with --query here', {
      hint: 'Sort in the expression: sort_by(data, &name)',
    });
};

/** What is no record has no names: it is a `value`. */
const toRecords = (rows: readonly unknown[]): readonly Row[] =>
  rows.map((row) => (isRecord(row) ? row : { value: row }));

async function* asRecords(list: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
  for await (const page of list) yield { ...page, rows: toRecords(page.rows) };
}

const VIEW = { noun: 'records', columns: [] };

const printRecords = (context: Context, { data, message, pagination }: ApiReply): Promise<void> => {
  const { output } = context;
  if (isRecord(data)) return output.record(data);
  const isWritten = data === null && message !== undefined;
  async function* page(): AsyncGenerator<ListPage> {
    const { page: current = 1, lastPage = current, total } = pagination ?? {};
    const rows = Array.isArray(data) ? data : data === null ? [] : [data];
    yield { rows: toRecords(rows), total, ...(lastPage > current && { shortened: true }) };
  }
  return output.list(page(), isWritten ? { ...VIEW, emptyMessage: message } : VIEW);
};

/** Whole as it came, or its records where a format of records is meant. */
export const printReply = (context: Context, reply: ApiReply, { include }: PrintOptions): Promise<void> =>
  include === true || context.settings.query !== undefined || !printsRecords(context)
    ? context.output.document(reply.envelope)
    : printRecords(context, reply);

/** Status line and headers; of a refusal, which is told on stderr, the body too where it is JSON. */
export const printHead = async (
  context: Context,
  response: HttpResponse | undefined,
  isRefused: boolean,
): Promise<void> => {
  if (response === undefined || response.planned !== undefined) return;
  await context.output.text(await context.formatHead(response));
  const parsed = isRefused ? parseJson(response.body) : undefined;
  if (parsed !== undefined && 'value' in parsed) await context.output.document(parsed.value);
};

/** A size that is asked for is kept: a service may allow no more. */
const splitPaging = ({ query }: RawRequest) => {
  const size = Number(query.find(([name]) => name === 'per_page')?.[1]);
  return {
    filters: query.filter(([name]) => name !== 'page' && name !== 'per_page'),
    window: size > 0 ? { perPage: size } : {},
  };
};

/** The pages of what is printed as one document; warns at the end of a list that came short. */
async function* withWarning({ output }: Context, pages: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
  for await (const page of pages) {
    if (page.came === undefined) yield page;
    else output.warn(formatShortfallWarning('records', page));
  }
}

export const printAllPages = async (
  context: Context,
  raw: RawRequest,
  { slurp }: PrintOptions,
): Promise<void> => {
  const { filters, window } = splitPaging(raw);
  const envelopes = new Map<unknown, unknown>();
  const fetch = async (paging: Row) => {
    const query = Object.entries(paging).map(([n, v]): [string, string] => [n, String(v)]);
    const reply = await context.raw<readonly Row[]>({ ...raw, query: [...filters, ...query] });
    if (reply.data !== null && !Array.isArray(reply.data))
      throw new UsageError(`--paginate needs a list, but ${raw.path} did not return one`);
    envelopes.set(reply.data, reply.envelope);
    return reply;
  };
  const list = fetchPages(fetch, 'pages', { ...context.window, ...window });
  if (slurp !== true && printsRecords(context)) return context.output.list(asRecords(list), VIEW);
  const pages = withWarning(context, list);
  if (slurp !== true) return context.output.document(await collectRows(pages));
  const replies: unknown[] = [];
  for await (const { rows } of pages) replies.push(envelopes.get(rows));
  return context.output.document(replies);
};
