import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary } from './support/binary.ts';
import { startListener } from './support/listener.ts';

/** The sandbox delivers, the listener receives: neither knows the other's code. */

let home: Home;
beforeEach(() => {
  home = cleanHome({ TTCTL_PROFILE: 'sandbox' });
});
afterEach(() => home.remove());

it('an event of a command arrives, signed with the token of the webhook', async () => {
  const { ended } = await startListener(
    ['--create', '--event', 'project.created', '--require-signature', '--limit', '1'],
    home.env,
  );
  await runBinary(['projects', 'create', '--name', 'Brücke'], { env: home.env });
  const { stdout, exit } = await ended;
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    event: 'project.created',
    signature: 'valid',
    payload: { event: 'project.created', data: { name: 'Brücke' } },
  });
  const left = await runBinary(['webhooks', 'list', '--output', 'json'], { env: home.env });
  expect(left.stdout).not.toContain('project.created');
});
