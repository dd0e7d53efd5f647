import type { Api, Call } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';

/** `done`: the records show it. `not-done`: they show that it did not happen. `unknown`: they cannot tell. */
export type Verdict = 'done' | 'not-done' | 'unknown';

/** How the service's own records show whether a write happened. Reads only. */
export interface Proof<Before = unknown> {
  /** What has to be known from before the write, where the record alone cannot tell: a count of its like. */
  readonly before?: (api: Api, values: Values) => Promise<Before>;
  readonly after: (api: Api, values: Values, before: Before | undefined) => Promise<Verdict>;
}

/** Operation id → proof. */
export type Proofs = Readonly<Record<string, Proof>>;

export const verdict = (done: boolean): Verdict => (done ? 'done' : 'not-done');

/** The first row of a list that fits, read only as far as needed. */
export const firstRow = async (call: Call<Row>, fits: (row: Row) => boolean): Promise<Row | undefined> => {
  for await (const page of call.pages()) {
    const row = page.rows.find(fits);
    if (row !== undefined) return row;
  }
  return undefined;
};

/** Whether the record has every value that was sent, by the API's names; `undefined` was not sent. */
export const hasAll = (record: Row, sent: Values): boolean =>
  Object.entries(sent).every(([name, value]) => value === undefined || record[name] === value);
