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

const idsOf = (status: string) =>
  sandbox
    .state()
    .workspaces[0]?.timesheets.filter((sheet) => sheet.status === status)
    .map((sheet) => sheet.id);

test('approves the submitted timesheets and no others', async () => {
  const waiting = idsOf('submitted');
  const before = idsOf('approved');
  expect(await approveSubmitted(service())).toEqual(waiting);
  expect(idsOf('submitted')).toEqual([]);
  expect(idsOf('approved')).toHaveLength((waiting?.length ?? 0) + (before?.length ?? 0));
});

test('approves each timesheet once, even if a response says 500 after the work was done', async () => {
  sandbox.faults.add('timesheets approve', { status: 500, afterCommit: true });
  sandbox.faults.add('timesheets approve', { drop: 'after' });
  const waiting = idsOf('submitted');
  expect(await approveSubmitted(service())).toEqual(waiting);
  const writes = sandbox.log().filter((row) => row.route === 'PUT /timesheets/{timesheetId}/approve');
  expect(writes).toHaveLength(waiting?.length ?? 0);
});

test('does not report a timesheet as approved if it is not', async () => {
  const [first, ...others] = idsOf('submitted') ?? [];
  sandbox.faults.add('timesheets approve', { drop: 'before' });
  expect(await approveSubmitted(service())).toEqual(others);
  expect(idsOf('submitted')).toEqual([first]);
});

test('reports that the sign-in has expired', async () => {
  const signedIn = service();
  // A Personal Access Token expires after six months.
  sandbox.clock.advance('184d');
  await expect(approveSubmitted(signedIn)).rejects.toThrow(SignInEnded);
});

test('sends no fields that the service ignores', async () => {
  await approveSubmitted(service());
  expect(sandbox.log().flatMap((row) => row.unread)).toEqual([]);
});
