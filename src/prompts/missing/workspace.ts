import type { Api } from '../../api/client.ts';
import type { ListPage, Row } from '../../api/page.ts';
import type { Prompter } from '../../context.ts';
import { toNumber } from '../../json/number.ts';
import { EXIT, Failure } from '../../outcome.ts';
import { orderBy } from './pick-source.ts';
import type { PromptedAnswers } from './prompted-answers.ts';

/** Lets a person choose the workspace of this run, where none is set. */

async function* replay(first: ListPage, iterator: AsyncIterator<ListPage>): AsyncGenerator<ListPage> {
  try {
    yield first;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

const pickRow = async (pages: AsyncIterable<ListPage>, prompter: Prompter): Promise<Row | undefined> => {
  const [picked] = await prompter.pick({
    message: 'workspace',
    pages,
    columns: [{ field: 'workspace_name' }, { field: 'role', drop: 1 }, { field: 'id', drop: 2 }],
    order: orderBy('workspace_name'),
  });
  return picked?.row;
};

/** Where there is one alone, nobody is asked for it. */
const chooseRow = async (list: AsyncIterator<ListPage>, prompter: Prompter): Promise<Row | undefined> => {
  const { done, value: first } = await list.next();
  if (done === true) return undefined;
  const [only, ...others] = first.rows;
  if (only === undefined || others.length > 0) return pickRow(replay(first, list), prompter);
  const second = await list.next();
  return second.done === true
    ? only
    : pickRow(replay({ ...second.value, rows: [only, ...second.value.rows] }, list), prompter);
};

export const pickWorkspace = async (
  api: Api,
  prompter: Prompter,
  asked: PromptedAnswers,
): Promise<number | undefined> => {
  const chosen = await chooseRow(api.workspaces.list({}).pages(), prompter);
  if (chosen === undefined) {
    throw new Failure('this account has no workspaces', { code: 'not_found', exit: EXIT.notFound });
  }
  const id = toNumber(chosen.id);
  asked.setWorkspace(id);
  return id;
};
