import type { Api } from './api/client.ts';
import type { Page, Row } from './api/page.ts';
import type { LookUps, Lookup } from './context.ts';
import { isId } from './opaque-id.ts';
import { EXIT, Failure, UsageError } from './outcome.ts';

/** Names and e-mail addresses to ids, each looked up once a run (contract, section 4). */

interface Search {
  /** Singular, for messages: `member`. */
  readonly kind: string;
  readonly text: string;
  readonly words: (row: Row) => string;
  readonly hint: string;
}

/** @throws Failure (exit 5) for no match, UsageError (exit 2) for several */
const only = (rows: readonly Row[], { kind, text, words, hint }: Search): Row => {
  const [row] = rows;
  if (row === undefined) {
    throw new Failure(`no ${kind} "${text}"`, { code: 'not_found', exit: EXIT.notFound, hint });
  }
  if (rows.length > 1) {
    throw new UsageError(`"${text}" is the name of ${rows.length} ${kind}s`, {
      code: 'ambiguous',
      reason: rows.map(words).join('\n'),
      hint: 'Name the one you mean by its id.',
    });
  }
  return row;
};

const gather = async (
  pages: AsyncIterable<{ readonly rows: readonly Row[] }>,
  fits: (row: Row) => boolean,
) => {
  const found: Row[] = [];
  for await (const page of pages) found.push(...page.rows.filter(fits));
  return found;
};

const same = (value: unknown, text: string): boolean => String(value).toLowerCase() === text.toLowerCase();

const remembered = <T>(find: (text: string) => Promise<T>): ((text: string) => Promise<T>) => {
  const known = new Map<string, Promise<T>>();
  return (text) => {
    const before = known.get(text) ?? find(text);
    known.set(text, before);
    return before;
  };
};

const person = (row: Row): string => `${row.id}  ${row.firstname} ${row.lastname}  ${row.status}`;
const named = (row: Row): string => `${row.id}  ${row.name}`;

type Find = (text: string) => Promise<string>;

/** People by e-mail address, things by their whole name. */
const findersOf = (api: Api): Readonly<Record<Lookup, Find>> => {
  const by = (kind: string, field: string, rows: (text: string) => AsyncIterable<Page>, hint: string): Find =>
    remembered(async (text) => {
      // An id may be any text, so that of a thing is known only when it is seen.
      const isMeant = (row: Row) => same(row[field], text) || (field === 'name' && String(row.id) === text);
      const found = await gather(rows(text), isMeant);
      return String(only(found, { kind, text, words: field === 'email' ? person : named, hint }).id);
    });
  return {
    member: by(
      'member',
      'email',
      (email) => api.members.list({ email }).pages(),
      'See who there is: ttctl members list',
    ),
    viewer: by(
      'viewer',
      'email',
      (email) => api.viewers.list({ email }).pages(),
      'See who there is: ttctl viewers list',
    ),
    project: by(
      'project',
      'name',
      (name) => api.projects.list({ name }).pages(),
      'See what there is: ttctl projects list',
    ),
    policy: by(
      'policy',
      'name',
      () => api.leaves.policies({}).pages(),
      'See what there is: ttctl leaves policies',
    ),
    category: by(
      'category',
      'name',
      () => api.expenses.categories({}).pages(),
      'See what there is: ttctl expenses categories',
    ),
  };
};

const findWorkspace = (api: Api) => async (text: string) => {
  const rows = await gather(
    api.workspaces.list({}).pages(),
    (row) => String(row.id) === text || same(row.workspace_name, text),
  );
  const words = (row: Row) => `${row.id}  ${row.workspace_name}  ${row.role}`;
  const row = only(rows, { kind: 'workspace', text, words, hint: 'See yours: ttctl workspaces list' });
  return { id: Number(row.id), name: String(row.workspace_name) };
};

export const createLookUps = (api: Api): LookUps => {
  const finders = findersOf(api);
  return {
    find: async (kind, text) => (isId(kind, text) ? text : finders[kind](text)),
    workspace: remembered(findWorkspace(api)),
  };
};
