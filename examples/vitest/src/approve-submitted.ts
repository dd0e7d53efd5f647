/** A script that runs at night: it approves every timesheet that waits. This is what the tests are for. */

export interface Service {
  readonly baseUrl: string;
  readonly workspaceId: number;
  readonly token: string;
  /** Default: the global one. */
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
    if (response.status === 401) throw new SignInEnded('sign in again: the service takes the token no more');
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

/** Returns the ids of those that are approved now. */
export const approveSubmitted = async (service: Service): Promise<string[]> => {
  const { request, timesheets } = connect(service);
  const approved: string[] = [];
  for (const { id } of await timesheets({ status: 'submitted', per_page: '100' })) {
    // An answer that is lost, or says 500, leaves open whether it was done: look, and never send it twice.
    const answer = await request('PUT', `/timesheets/${id}/approve`).catch((error: unknown) => {
      if (error instanceof SignInEnded) throw error;
      return undefined;
    });
    const [now] = answer?.ok === true ? [{ status: 'approved' }] : await timesheets({ id });
    if (now?.status === 'approved') approved.push(id);
  }
  return approved;
};
