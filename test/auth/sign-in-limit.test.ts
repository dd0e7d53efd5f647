import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTurnedClock, until } from '../support/clocks.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import { freePort, isFree } from '../support/oauth.ts';

/** Nobody comes: 300 s, whatever `--timeout` says. */

it('ends after 300 s with exit 3, and frees the port', async () => {
  const folder = makeFolder();
  const port = await freePort();
  const redirect = `http://127.0.0.1:${port}/callback`;
  const place = 'http://127.0.0.1:9';
  const clock = createTurnedClock(Date.now());
  const line = `auth login --no-browser --redirect-uri ${redirect} --timeout 1 --client-id c`;
  const running = runInProcess(line.split(' '), {
    env: {
      TTCTL_CONFIG_DIR: join(folder, 'ttctl'),
      TTCTL_BASE_URL: `${place}/api/v2`,
      TTCTL_AUTH_URL: place,
      TTCTL_TOKEN_URL: place,
      TTCTL_CLIENT_SECRET: 'a-secret-of-nobody',
    },
    machine: { clock },
  });
  await until(async () => !(await isFree(port)));
  expect((await fetch(`${redirect}?code=x&state=y`)).status).toBe(400);
  clock.advance(299_999);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await isFree(port)).toBe(false);
  clock.advance(1);
  const { exit, stderr } = await running;
  expect(exit).toBe(3);
  expect(stderr).toContain('no sign-in within 5 minutes');
  expect(await isFree(port)).toBe(true);
});
