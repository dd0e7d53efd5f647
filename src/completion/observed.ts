import type { Operation } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { ApiReply } from '../api/reply.ts';
import type { HttpRequest } from '../http/transport.ts';
import { isRecord } from '../json/number.ts';

/** What a run saw of the service's records, until there is time to keep it (cache-observed.ts). */

export interface ObservedRecords {
  readonly operation: Operation;
  /** Root of the service that answered. */
  readonly base: string;
  /** By the API's names: what the request carried, workspace and path among them. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly rows: readonly Row[];
  /** Rows of the whole list, where the service tells. */
  readonly total: number | undefined;
}

export interface ObservedLists {
  /** Told of every answer. */
  add(operation: Operation, values: Row, request: HttpRequest, reply: ApiReply): void;
  readonly all: readonly ObservedRecords[];
}

/** So many rows and answers of one operation are held; a list of 50,000 is let go as it is written. */
const MAX_ROWS = 2000;

const listRows = ({ data }: ApiReply): readonly Row[] =>
  (Array.isArray(data) ? data : [data]).filter(isRecord);

export const createObservedLists = (): ObservedLists => {
  const all: ObservedRecords[] = [];
  const rowCounts = new Map<string, number>();
  return {
    all,
    add(operation, values, { base, query, body }, reply) {
      const count = rowCounts.get(operation.id) ?? 0;
      if (count >= MAX_ROWS || reply.planned !== undefined) return;
      const rows = listRows(reply);
      rowCounts.set(operation.id, count + Math.max(1, rows.length));
      const present = Object.entries(values).filter(([, value]) => value !== undefined);
      const sent = {
        ...Object.fromEntries(present),
        ...(isRecord(body) ? body : {}),
        ...Object.fromEntries(query),
      };
      all.push({ operation, base, sent, rows, total: reply.pagination?.total });
    },
  };
};
