import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createSandbox } from 'ttctl/sandbox';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** The same sandbox on a port, for programs in other processes: here ttctl itself. */
test('a shell script reaches the sandbox through its variables', async () => {
  await using sandbox = await createSandbox({ seed: 'demo' });
  const server = await sandbox.listen();
  const env = { ...process.env, ...server.env() };
  const ttctl = async (...args: string[]) =>
    (await run(process.execPath, ['node_modules/ttctl/bin/ttctl.js', ...args], { env })).stdout;

  const waiting = (await ttctl('timesheets', 'list', '--status', 'submitted', '--output', 'ids'))
    .trim()
    .split('\n');
  await sandbox.control.addFault({ operation: 'timesheets approve', status: 500, after_commit: true });
  await ttctl('timesheets', 'approve', ...waiting, '--yes');

  expect(await ttctl('timesheets', 'list', '--status', 'submitted', '--output', 'ids')).toBe('');
  const writes = (await sandbox.control.log()).filter((row) => row.method === 'PUT');
  expect(writes.map((row) => row.status)).toContain(500);
  expect(writes).toHaveLength(waiting.length);
});
