import { createSandbox, type Sandbox } from 'ttctl/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { approveSubmitted, SignInEnded } from '../src/approve-submitted.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ seed: 'demo' });
});
afterEach(() => sandbox.close());

/** Everything stays in this process: no port, no network. */
const service = () => ({
  baseUrl: sandbox.baseUrl,
  workspaceId: sandbox.workspaceId,
  token: sandbox.token({ scope: 'read write' }).token,
  fetch: sandbox.fetch,
});

const idsOf = async (status: string): Promise<string[]> => {
  const query = new URLSearchParams({ workspace_id: String(sandbox.workspaceId), status, per_page: '100' });
  const headers = { authorization: `Bearer ${sandbox.token().token}` };
  const response = await sandbox.fetch(`${sandbox.baseUrl}/timesheets?${query}`, { headers });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
};

test('approves the submitted timesheets and no others', async () => {
  const waiting = await idsOf('submitted');
  const before = await idsOf('approved');
  expect(await approveSubmitted(service())).toEqual(waiting);
  expect(await idsOf('submitted')).toEqual([]);
  expect(await idsOf('approved')).toHaveLength(waiting.length + before.length);
});

test('approves each timesheet once, even if a response says 500 after the work was done', async () => {
  await sandbox.control.addFault({ operation: 'timesheets approve', status: 500, after_commit: true });
  await sandbox.control.addFault({ operation: 'timesheets approve', drop: 'after' });
  const waiting = await idsOf('submitted');
  expect(await approveSubmitted(service())).toEqual(waiting);
  const log = await sandbox.control.log();
  expect(log.filter(({ route }) => route === 'PUT /timesheets/{timesheetId}/approve')).toHaveLength(
    waiting.length,
  );
});

test('does not report a timesheet as approved if it is not', async () => {
  const [first, ...others] = await idsOf('submitted');
  await sandbox.control.addFault({ operation: 'timesheets approve', drop: 'before' });
  expect(await approveSubmitted(service())).toEqual(others);
  expect(await idsOf('submitted')).toEqual([first]);
});

test('reports that the sign-in has expired', async () => {
  const signedIn = service();
  // A Personal Access Token expires after six months.
  await sandbox.control.moveClock({ action: 'advance', by_ms: 184 * 86_400_000 });
  await expect(approveSubmitted(signedIn)).rejects.toThrow(SignInEnded);
});

test('sends no fields that the service ignores', async () => {
  await approveSubmitted(service());
  expect((await sandbox.control.log()).flatMap((row) => row.unread)).toEqual([]);
});
