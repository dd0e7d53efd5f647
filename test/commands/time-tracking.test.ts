import { describe, expect, it } from 'vitest';
import { envelope } from '../support/service.ts';
import { ask } from '../support/use-cli.ts';

/** docs/service.md, Time tracking: no `workspace_id`, no body, and it does not ask. */

describe('stopping the tracker', () => {
  it('needs no workspace, and answers when it was stopped', async () => {
    const answer = () => ({ body: envelope({ stopped_at: '2026-11-20T09:00:00Z' }) });
    const stop = (flags: string) => ask(`tracker stop ${flags}`, answer, { env: { TTCTL_WORKSPACE: '' } });
    const { exit, stdout } = await stop('--json');
    expect([exit, JSON.parse(stdout)]).toEqual([0, { stopped_at: '2026-11-20T09:00:00Z' }]);
    expect((await stop('--timezone Asia/Kolkata')).stdout).toBe('stopped  2026-11-20 14:30+05:30\n');
  });

  it('that does not run is refused in the words of the service', async () => {
    const body = { success: false, message: 'There is no active tracker.', meta: {} };
    const { exit, stderr } = await ask('tracker stop', () => ({ status: 400, body }));
    expect(exit).toBe(6);
    expect(stderr).toMatch(/^error: There is no active tracker\.[\s\S]*hint: .*auth status/);
  });
});
