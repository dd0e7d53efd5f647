import type { Context } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { Cancelled, Failure } from '../outcome.ts';

/**
 * Who the service says that we are: an e-mail address, or an id where no workspace is set; null where it does not tell.
 * @throws Failure where it could not be asked
 */
export const fetchAccount = async ({
  api,
  knownWorkspaceId,
}: Pick<Context, 'api' | 'knownWorkspaceId'>): Promise<string | null> => {
  const workspace = await knownWorkspaceId();
  for await (const page of api.workspaces.list({}).pages()) {
    const row = page.rows.find(({ id }) => workspace === undefined || toText(id) === toText(workspace));
    if (row?.user_id == null) continue;
    if (workspace === undefined) return toText(row.user_id);
    const { data } = await api.members.get({ memberId: toText(row.user_id) }).send();
    return data?.email ?? null;
  }
  return null;
};

/** The same where nothing depends on it: null where it could not be asked. */
export const readAccount = (context: Context): Promise<string | null> =>
  fetchAccount(context).catch((error: unknown) => {
    if (error instanceof Cancelled || !(error instanceof Failure)) throw error;
    return null;
  });
