import { Cancelled, Failure } from '../errors.ts';
import { toText } from '../json.ts';
import type { Run } from '../run.ts';

/**
 * Who the service says that we are: an e-mail address, or an id where no workspace is set; null where it does not tell.
 * @throws Failure where it could not be asked
 */
export async function fetchAccount(
  run: Pick<Run, 'api' | 'lists' | 'knownWorkspaceId'>,
): Promise<string | null> {
  const { api, lists } = run;
  const workspace = await run.knownWorkspaceId();
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
}

/** The same where nothing depends on it: null where it could not be asked. */
export function readAccount(run: Run): Promise<string | null> {
  return fetchAccount(run).catch((error: unknown) => {
    if (error instanceof Cancelled || !(error instanceof Failure)) throw error;
    return null;
  });
}
