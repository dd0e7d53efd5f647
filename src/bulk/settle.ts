import type { Api, Call } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { mayHaveHappened } from '../api/reply.ts';

/**
 * After a write whose answer was lost: what the service's own records say. Nothing is ever sent again here
 * (contract, section 5; requirement E2).
 */

/** `done`: the records show it. `not-done`: they show that it did not happen. `unknown`: they cannot tell. */
export type Verdict = 'done' | 'not-done' | 'unknown';

type LookUp = (api: Api, values: Values) => Promise<Verdict>;

const verdict = (done: boolean): Verdict => (done ? 'done' : 'not-done');

const firstRow = async (call: Call<Row>, matches: (row: Row) => boolean): Promise<Row | undefined> => {
  for await (const page of call.pages()) {
    const row = page.rows.find(matches);
    if (row !== undefined) return row;
  }
  return undefined;
};

const timesheetIs =
  (done: string): LookUp =>
  async (api, values) => {
    const id = String(values.timesheetId);
    const sheet = await firstRow(api.timesheets.list({ id }) as Call<Row>, (row) => String(row.id) === id);
    return sheet === undefined
      ? 'unknown'
      : verdict(sheet.status === done || (done === 'open' && sheet.status === 'pending'));
  };

const memberIsArchived =
  (archived: boolean): LookUp =>
  async (api, values) => {
    const { data } = await api.members.get({ memberId: String(values.memberId) }).send();
    return data === null ? 'unknown' : verdict((data.deleted_at != null) === archived);
  };

/** The sent fields against the record's: all as sent is done, anything else cannot be told apart from a race. */
const memberWasUpdated: LookUp = async (api, values) => {
  const { data } = await api.members.get({ memberId: String(values.memberId) }).send();
  if (data === null) return 'unknown';
  const { memberId: _, role, remove_avatar: removed, ...fields } = values;
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
  const asSent =
    sent.every(([name, value]) => data[name] === value) && (role === undefined || data.current_role === role);
  return verdict(asSent && (removed === undefined || data.avatar == null));
};

const wasInvited: LookUp = async (api, values) => {
  const email = String(values.email);
  const same = (row: Row) => String(row.email).toLowerCase() === email.toLowerCase();
  return verdict((await firstRow(api.members.list({ email }) as Call<Row>, same)) !== undefined);
};

const LOOK_UPS: Readonly<Record<string, LookUp>> = {
  'timesheets.approve': timesheetIs('approved'),
  'timesheets.reject': timesheetIs('rejected'),
  'timesheets.submit': timesheetIs('submitted'),
  'timesheets.unsubmit': timesheetIs('open'),
  'members.archive': memberIsArchived(true),
  'members.restore': memberIsArchived(false),
  'members.update': memberWasUpdated,
  'members.invite': wasInvited,
};

/** What became of a write that failed: `failed` when the service refused it or it never left. */
export const settle = async (api: Api, call: Call, error: unknown): Promise<'failed' | Verdict> => {
  if (!mayHaveHappened(error)) return 'failed';
  try {
    return (await LOOK_UPS[call.operation.id]?.(api, call.values)) ?? 'unknown';
  } catch {
    return 'unknown'; // the look-up met the same fault
  }
};
