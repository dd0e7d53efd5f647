import { type Answer, envelope, onePage } from '../../support/recorder.ts';

/** A write whose answer is lost, and what is said of it by what the service shows afterwards. */
export interface Case {
  /** Its operation is its first two words. */
  readonly command: string;
  /** What reads answer before the write. Default: nothing of a record. */
  readonly before?: Shown;
  readonly after: Shown;
  readonly become: 'done' | 'not done' | 'unclear';
}

/** What every read answers, or by path (`/leaves`): another path is not found. */
export type Shown = Answer | Readonly<Record<`/${string}`, Answer>>;

export const list = (...rows: object[]): Answer => ({ body: onePage(rows) });
export const one = (record: object | null): Answer => ({ body: envelope(record) });
export const gone: Answer = { status: 404, body: { success: false, message: 'Not found.', meta: {} } };
/** An answer that says nothing of the record. */
export const blank: Answer = one(null);

const isByPath = (shown: Shown): shown is Readonly<Record<string, Answer>> =>
  Object.keys(shown).every((key) => key.startsWith('/'));

/** What a read of this path answers; a record (`/leaves/l1`) may be told by its list. */
export const answerTo = (path: string, shown: Shown): Answer =>
  isByPath(shown) ? (shown[path] ?? findListed(path, shown) ?? gone) : shown;

function findListed(path: string, shown: Readonly<Record<string, Answer>>): Answer | undefined {
  const [, place = '', id] = /^(\/[\w-]+)\/([^/]+)$/.exec(path) ?? [];
  const { data } = Object(shown[place]?.body);
  const row = Array.isArray(data) ? data.find((one) => String(one.id) === id) : undefined;
  return row && one(row);
}
