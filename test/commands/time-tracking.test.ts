import { describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { literal } from '../support/literal.ts';
import { envelope, serviceEnv, startRecorder } from '../support/recorder.ts';

/** docs/service.md, Time tracking: no `workspace_id`, no body, and it does not ask. */

literal([
  ['time-tracking stop', 'POST /time-tracking/stop'],
  ['tracker stop', 'POST /time-tracking/stop'],
]);

describe('stopping the tracker', () => {
  it('needs no workspace, and answers when it was stopped', async () => {
    const recorder = await startRecorder(() => ({ body: envelope({ stopped_at: '2026-11-20T09:00:00Z' }) }));
    const env = serviceEnv(recorder, { TTCTL_WORKSPACE: '' });
    const { exit, stdout } = await runInProcess(['tracker', 'stop', '--json'], { env });
    const zone = ['--timezone', 'Asia/Kolkata'];
    const people = await runInProcess(['tracker', 'stop', ...zone], { env });
    await recorder.close();
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ stopped_at: '2026-11-20T09:00:00Z' });
    expect(people.stdout).toBe('stopped  2026-11-20 14:30+05:30\n');
  });

  it('that does not run is refused in the words of the service', async () => {
    const recorder = await startRecorder(() => ({
      status: 400,
      body: { success: false, message: 'There is no active tracker.', meta: {} },
    }));
    const { exit, stderr } = await runInProcess(['tracker', 'stop'], { env: serviceEnv(recorder) });
    await recorder.close();
    expect(exit).toBe(6);
    expect(stderr).toMatch(/^error: There is no active tracker\.[\s\S]*hint: .*auth status/);
  });
});
