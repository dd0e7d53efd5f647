import type { AnswerPagination, HandlerAnswer } from './answer.ts';
import type { UserCall } from './call.ts';
import { integerReader } from './read.ts';

export interface Slice<T> {
  readonly rows: readonly T[];
  readonly pagination: AnswerPagination;
}

interface PageOptions {
  readonly perPage: number;
  /** The list takes `page` only. */
  readonly fixed?: true;
}

/** The page of `rows` that the request asks for; a page after the last is empty. */
export const slicePage = <T>(call: UserCall, rows: readonly T[], options: PageOptions): Slice<T> => {
  const requestedPage = call.input.filter('page', integerReader(1)) ?? 1;
  const requestedSize =
    options.fixed === true ? undefined : call.input.filter('per_page', integerReader(1, 100));
  const page = call.dialect.ignorePage === 'yes' ? 1 : requestedPage;
  const size = call.dialect.ignorePerPage === 'yes' ? options.perPage : (requestedSize ?? options.perPage);
  const start = (page - 1) * size;
  const pageRows = rows.slice(start, start + size);
  return {
    rows: pageRows,
    pagination: {
      total: rows.length,
      per_page: size,
      current_page: page,
      last_page: Math.max(1, Math.ceil(rows.length / size)),
      from: pageRows.length === 0 ? null : start + 1,
      to: pageRows.length === 0 ? null : start + pageRows.length,
    },
  };
};

/** Only the rows of the page are shown, so that a long list costs no more than its page. */
export const answerPage = <T>(
  call: UserCall,
  rows: readonly T[],
  show: (row: T) => unknown,
  options: PageOptions = { perPage: 20 },
): HandlerAnswer => {
  const slice = slicePage(call, rows, options);
  return { data: slice.rows.map(show), pagination: slice.pagination };
};
