import type { AnswerPagination, HandlerAnswer } from './answer.ts';
import type { UserCall } from './call.ts';
import { integerReader } from './read.ts';

export interface Slice<T> {
  readonly rows: readonly T[];
  readonly pagination: AnswerPagination;
}

interface PageRule {
  readonly perPage: number;
  /** The list takes `page` only. */
  readonly fixed?: true;
}

/** The page of `rows` that the request asks for; a page after the last is empty. */
export const slicePage = <T>(call: UserCall, rows: readonly T[], rule: PageRule): Slice<T> => {
  const wishedPage = call.input.filter('page', integerReader(1)) ?? 1;
  const wishedSize = rule.fixed === true ? undefined : call.input.filter('per_page', integerReader(1, 100));
  const page = call.dialect.ignorePage === 'yes' ? 1 : wishedPage;
  const size = call.dialect.ignorePerPage === 'yes' ? rule.perPage : (wishedSize ?? rule.perPage);
  const start = (page - 1) * size;
  const part = rows.slice(start, start + size);
  return {
    rows: part,
    pagination: {
      total: rows.length,
      per_page: size,
      current_page: page,
      last_page: Math.max(1, Math.ceil(rows.length / size)),
      from: part.length === 0 ? null : start + 1,
      to: part.length === 0 ? null : start + part.length,
    },
  };
};

/** Only the rows of the page are shown, so that a long list costs no more than its page. */
export const answerPage = <T>(
  call: UserCall,
  rows: readonly T[],
  show: (row: T) => unknown,
  rule: PageRule = { perPage: 20 },
): HandlerAnswer => {
  const slice = slicePage(call, rows, rule);
  return { data: slice.rows.map(show), pagination: slice.pagination };
};
