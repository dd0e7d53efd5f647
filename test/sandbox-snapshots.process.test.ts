import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SANDBOX_KINDS, type SandboxCli } from './support/use-cli.ts';

/** Snapshots through the command line, on the embedded sandbox and on a server. */

describe.each(SANDBOX_KINDS)('%s', (_kind, open) => {
  let sandbox: SandboxCli;
  beforeAll(async () => {
    sandbox = await open('demo');
  });
  afterAll(() => sandbox.close());

  const snapshot = (...words: string[]) => sandbox.run(['sandbox', 'snapshot', ...words]);
  const submitted = async (): Promise<string[]> => {
    const rows: { id: string }[] = await sandbox.json(['timesheets', 'list', '--status', 'submitted']);
    return rows.map(({ id }) => id);
  };

  it('is put back to what it was, with what was decided since undone', async () => {
    const before = await submitted();
    const saved = await sandbox.json(['sandbox', 'snapshot', 'save', 'before-approval']);
    expect(saved).toMatchObject({ name: 'before-approval', seed: 'demo', saved: true });
    expect((await snapshot('diff', 'before-approval')).exit).toBe(0);

    const [first = ''] = before;
    expect((await sandbox.run(['timesheets', 'approve', first, '--yes'])).exit).toBe(0);
    const { exit, stdout } = await snapshot('diff', 'before-approval', '--output', 'json');
    expect(exit).toBe(10);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        kind: 'timesheets',
        id: first,
        change: 'changed',
        fields: [{ field: 'status', before: 'submitted', after: 'approved' }],
      },
    ]);
    const table = await snapshot('diff', 'before-approval');
    expect(table.stdout).toContain('status: submitted → approved');

    await sandbox.json(['sandbox', 'snapshot', 'save', 'after']);
    await sandbox.json(['sandbox', 'snapshot', 'restore', 'before-approval']);
    expect(await submitted()).toEqual(before);
    expect((await snapshot('diff', 'before-approval')).exit).toBe(0);
    expect((await snapshot('diff', 'before-approval', 'after')).exit).toBe(10);
  });

  it('is listed in every format, and removed', async () => {
    const ids = await snapshot('list', '--output', 'ids');
    expect(ids.stdout).toBe('after\nbefore-approval\n');
    expect((await snapshot('list', '--output', 'csv')).stdout).toContain('before-approval');
    expect(await sandbox.json(['sandbox', 'snapshot', 'remove', 'after'])).toEqual({
      name: 'after',
      removed: true,
    });
    const gone = await snapshot('restore', 'after');
    expect(gone).toMatchObject({ exit: 5, stderr: expect.stringContaining('no snapshot after') });
  });
});
