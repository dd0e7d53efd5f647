import type { IncomingHttpHeaders } from 'node:http';
import { startServer } from './loopback.ts';

/** A loopback server that writes down every request and answers what it is told. It knows nothing of the API. */

export interface Recorded {
  /** `PUT /timesheets/17/approve?workspace_id=7`, without the base path. */
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body, or the fields of a form; `undefined` without one. */
  readonly body: unknown;
  /** The body as it came. */
  readonly text?: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Cuts the connection once the request is read, with no answer. */
  readonly cut?: true;
  /** Never answers. */
  readonly silent?: true;
  /** Answers after so many milliseconds. */
  readonly delayMs?: number;
}

const META = { api_version: '2.0.0', timestamp: '2026-11-20T09:00:00Z' };

/** The envelope around some data (docs/service.md, Envelope). */
export const envelope = (data: unknown, more: object = {}) => ({
  success: true,
  message: 'OK',
  data,
  meta: { ...META, ...more },
});

/** The pagination of a list that has one page (docs/service.md, Paging). */
export const onePage = (rows: readonly unknown[]) =>
  envelope(rows, {
    pagination: {
      total: rows.length,
      per_page: 100,
      current_page: 1,
      last_page: 1,
      from: 1,
      to: rows.length,
    },
  });

export type Recorder = Awaited<ReturnType<typeof startRecorder>>;

const parseBody = (text: string, headers: IncomingHttpHeaders): unknown => {
  if (text === '') return undefined;
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
};

const BASE = '/api/v2';

/** @param at the port; 0: any that is free */
export const startRecorder = async (
  answer: (request: Recorded, index: number) => Answer | Promise<Answer> = () => ({ body: envelope(null) }),
  at = 0,
) => {
  const requests: Recorded[] = [];
  const { port, close } = await startServer(
    async ({ method, url, headers, body: text }, response) => {
      const line = `${method} ${url.startsWith(BASE) ? url.slice(BASE.length) : url}`;
      const recorded = { line, headers, body: parseBody(text, headers), text };
      requests.push(recorded);
      const told = await answer(recorded, requests.length - 1);
      if (told.cut) return void response.socket?.destroy();
      if (told.silent) return;
      if (told.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, told.delayMs));
      const { status = 200, body = '' } = told;
      response.writeHead(status, { 'content-type': 'application/json', ...told.headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    },
    undefined,
    at,
  );
  return {
    baseUrl: `http://127.0.0.1:${port}${BASE}`,
    requests: requests as readonly Recorded[],
    /** `line body` of each request, for literal comparison. */
    lines: () =>
      requests.map(({ line, body }) => (body === undefined ? line : `${line} ${JSON.stringify(body)}`)),
    close,
  };
};

/** What a service answers of which a test asks for nothing special. */

/** A read of one record ends in its id, which has a digit; a list ends in a word. */
export const readsList = ({ line }: Recorded): boolean => /^GET [^?]*\/[a-z-]+(\?|$)/.test(line);

/** The id that a request names; as the record has it where that is the same. */
const idIn = ({ line }: Recorded, { id }: { readonly id?: unknown }): unknown => {
  const [, asked] = /^\w+ \/[a-z-]+\/([^/?]+)/.exec(line) ?? [];
  return asked === undefined || asked === String(id) ? id : decodeURIComponent(asked);
};

/** A record as the service answers with it: it has the id that was asked for. */
export const ofRequest = (request: Recorded, record: object): object => ({
  ...record,
  id: idIn(request, record),
});

/** Empty lists, and a record with the id 17 where another is not asked for. */
export const plainAnswer = (request: Recorded): Answer => ({
  body: readsList(request) ? onePage([]) : envelope(ofRequest(request, { id: 17 })),
});

// What an update of the record keeps.
const expense = { expense_name: 'Train', date: '2026-11-20', amount: 48.6, category_id: 4 };
const hook = { url: 'https://x', events: ['tracker.started'] };

/** What a row has to have to be what the examples of help name, and to match the filters of its list. */
export const named = ({ line }: Recorded): object => {
  const query = new URLSearchParams(/\?(\S*)/.exec(line)?.[1]);
  const asked = ['id', 'status', 'date_from', 'date_to'].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const [, kind = ''] = /\/(categories|policies)\b/.exec(line) ?? [];
  const name = { categories: 'Travel', policies: 'Annual leave' }[kind] ?? 'Harbour website';
  const ana = { email: 'ana@example.com', firstname: 'Ana', lastname: 'Sousa' };
  return { name, ...ana, ...expense, ...hook, ...Object.fromEntries(asked) };
};

/**
 * A service whose one record is read as it was written last, and whose lists have these rows. Its answers to writes show
 * the record as it was at first, with the id that was asked for.
 */
export const keepsWrites = (record: object, rows: readonly object[] = []) => {
  let written: object = {};
  return (request: Recorded): Answer => {
    if (readsList(request)) return { body: onePage(rows.map((row) => ({ ...row, ...named(request) }))) };
    if (request.line.startsWith('GET '))
      return { body: envelope(ofRequest(request, { ...record, ...written })) };
    written = Object(request.body);
    return { body: envelope(ofRequest(request, record)) };
  };
};
