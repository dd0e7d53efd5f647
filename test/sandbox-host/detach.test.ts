import { expect, it } from 'vitest';
import type { Machine } from '../../src/platform/machine.ts';
import { startDetached } from '../../src/sandbox-host/serve.ts';

it('says why where no process can be started at all', async () => {
  const machine = { node: '/nowhere/node', entry: 'ttctl', env: {} } as unknown as Machine;
  await expect(startDetached(machine, { port: 0 })).rejects.toMatchObject({
    message: 'the sandbox did not start',
    reason: 'spawn /nowhere/node ENOENT',
  });
});
