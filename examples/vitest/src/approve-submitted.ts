/** The code under test: a nightly script that approves every submitted timesheet. */

export interface Service {
  readonly baseUrl: string;
  readonly workspaceId: number;
  readonly token: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export class SignInEnded extends Error {}

interface Timesheet {
  readonly id: string;
  readonly status: string;
}

type Query = Readonly<Record<string, string>>;

const connect = ({ baseUrl, workspaceId, token, fetch: send = fetch }: Service) => {
  const request = async (method: 'GET' | 'PUT', path: string, query: Query = {}): Promise<Response> => {
    const url = `${baseUrl}${path}?${new URLSearchParams({ workspace_id: String(workspaceId), ...query })}`;
    const response = await send(url, { method, headers: { authorization: `Bearer ${token}` } });
    if (response.status === 401)
      throw new SignInEnded('sign in again: the service no longer accepts the token');
    return response;
  };
  const timesheets = async (query: Query): Promise<Timesheet[]> => {
    const response = await request('GET', '/timesheets', query);
    if (!response.ok) throw new Error(`the timesheets cannot be read: ${response.status}`);
    const { data } = (await response.json()) as { data: Timesheet[] };
    return data;
  };
  return { request, timesheets };
};

/** Returns the ids of the timesheets that are now approved. */
export const approveSubmitted = async (service: Service): Promise<string[]> => {
  const { request, timesheets } = connect(service);
  const approved: string[] = [];
  for (const { id } of await timesheets({ status: 'submitted', per_page: '100' })) {
    // After a lost response or a 500 the outcome is unknown: look it up, and never send the write twice.
    const answer = await request('PUT', `/timesheets/${id}/approve`).catch((error: unknown) => {
      if (error instanceof SignInEnded) throw error;
      return undefined;
    });
    const [now] = answer?.ok === true ? [{ status: 'approved' }] : await timesheets({ id });
    if (now?.status === 'approved') approved.push(id);
  }
  return approved;
};
