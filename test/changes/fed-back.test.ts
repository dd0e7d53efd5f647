import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { type Answer, envelope, serviceEnv, startRecorder } from '../support/recorder.ts';

/** What is advised about failed rows: some need correcting, some have only come too soon. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-fed-back-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const refused = (status: number): Answer => ({
  status,
  body: { success: false, message: `said ${status}`, error: null, meta: {} },
});

/** Approves as many timesheets as there are statuses; t1 gets the first. */
const approve = async (...statuses: readonly number[]) => {
  const recorder = await startRecorder(({ line }) => {
    const status = statuses[Number(/timesheets\/t(\d)/.exec(line)?.[1]) - 1] ?? 200;
    return status === 200 ? { body: envelope({}) } : refused(status);
  });
  const env = { ...serviceEnv(recorder), TTCTL_STATE_DIR: folder, TTCTL_MAX_WAIT: '0' };
  const ids = statuses.map((_, i) => `t${i + 1}`);
  const run = await runInProcess(['timesheets', 'approve', ...ids, '--yes', '--json'], { env });
  const { error } = JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '');
  const resumed = await runInProcess(['jobs', 'resume', error.job], { env });
  await recorder.close();
  return { hint: String(error.hint), file: String(error.failed_file), resumed: resumed.stderr };
};

const AS_THEY_ARE = 'Retry the failed rows unchanged with --from-file';

describe('failed rows', () => {
  it('are fed back as they are where nothing is wrong with them', async () => {
    const { hint, file, resumed } = await approve(429, 200, 429);
    expect(hint).toContain(AS_THEY_ARE);
    expect(hint).not.toContain('Correct');
    expect(resumed).toContain('2 of 3 timesheets not approved');
    expect(resumed).toContain('Retry the failed rows unchanged');
    expect(resumed).toContain(file);
  });

  it('are fed back as they are where this sign-in may not write them', async () => {
    const { hint } = await approve(403, 200, 403);
    expect(hint).toContain(AS_THEY_ARE);
    expect(hint).not.toContain('Correct');
  });

  it('are corrected where the service refused them', async () => {
    const { hint, resumed } = await approve(400, 200, 422);
    expect(hint).toContain('Correct the failed rows');
    expect(hint).not.toContain('unchanged');
    expect(resumed).toContain('Correct the failed rows');
  });

  it('are of both kinds', async () => {
    const { hint } = await approve(429, 400, 200);
    expect(hint).toMatch(/Correct the failed rows \(those .* need no change\)/);
  });
});
