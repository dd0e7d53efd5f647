import type { Api } from '../api/client.ts';
import type { Asked } from '../asked.ts';
import type { Prompter } from '../context.ts';
import { EXIT, Failure } from '../outcome.ts';
import { by } from './source.ts';

/** Lets a person choose the workspace of this run, where none is set. */
export const pickWorkspace = async (
  api: Api,
  prompter: Prompter,
  asked: Asked,
): Promise<number | undefined> => {
  const [found] = await prompter.pick({
    message: 'workspace',
    pages: api.workspaces.list({}).pages(),
    columns: [{ field: 'workspace_name' }, { field: 'role', drop: 1 }, { field: 'id', drop: 2 }],
    order: by('workspace_name'),
  });
  if (found === undefined) {
    throw new Failure('this account has no workspace', { code: 'not_found', exit: EXIT.notFound });
  }
  const id = Number(found.row.id);
  asked.workspace(id);
  return id;
};
