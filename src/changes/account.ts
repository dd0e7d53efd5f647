import type { Context } from '../context.ts';
import { Cancelled, Failure } from '../errors.ts';
import { toText } from '../json.ts';

/**
 * Who the service says that we are: an e-mail address, or an id where no workspace is set; null where it does not tell.
 * @throws Failure where it could not be asked
 */
export const fetchAccount = async ({
  api,
  lists,
  knownWorkspaceId,
}: Pick<Context, 'api' | 'lists' | 'knownWorkspaceId'>): Promise<string | null> => {
  const workspace = await knownWorkspaceId();
  for await (const page of lists.pages(api.workspaces.list({}))) {
    const row = page.rows.find(({ id }) => workspace === undefined || toText(id) === toText(workspace));
    if (row?.user_id == null) continue;
    if (workspace === undefined) return toText(row.user_id);
    const id = toText(row.user_id);
    const read = async () => (await api.members.get({ memberId: id }).send()).data;
    const member = await lists.record(api.members.list({}), id, read);
    return member?.email == null ? null : toText(member.email);
  }
  return null;
};

/** The same where nothing depends on it: null where it could not be asked. */
export const readAccount = (context: Context): Promise<string | null> =>
  fetchAccount(context).catch((error: unknown) => {
    if (error instanceof Cancelled || !(error instanceof Failure)) throw error;
    return null;
  });

/** Whether the workspace of this run is none of those that the account is in: every write of it will be refused. */
export const lacksWorkspace = async ({
  api,
  lists,
  knownWorkspaceId,
}: Pick<Context, 'api' | 'lists' | 'knownWorkspaceId'>): Promise<boolean> => {
  const workspace = await knownWorkspaceId();
  try {
    const rows = await lists.rows(api.workspaces.list({}));
    return (
      workspace !== undefined && rows.length > 0 && !rows.some(({ id }) => toText(id) === toText(workspace))
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return false;
  }
};
