import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS, type Tried } from './support/instrument.ts';

/** Snapshots and simulations through the command line, on the embedded sandbox and on a server. */

describe.each(KINDS)('%s', (kind, open) => {
  let sandbox: Tried;
  beforeAll(async () => {
    sandbox = await open('demo');
  });
  afterAll(() => sandbox.close());

  const snapshot = (...words: string[]) => sandbox.run(['sandbox', 'snapshot', ...words]);
  let token: Record<string, string> = {};
  /** A reset ends every token. */
  const signIn = async (): Promise<void> => {
    if (kind === 'server') token = await sandbox.json(['sandbox', 'env']);
  };
  const submitted = async (): Promise<string[]> => {
    const rows: { id: string }[] = await sandbox.json(['timesheets', 'list', '--status', 'submitted'], token);
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
        kind: 'timesheet',
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
    expect((await snapshot('remove', 'after', '--dry-run')).exit).toBe(0);
    expect((await snapshot('list', '--output', 'ids')).stdout).toBe(ids.stdout);
    expect(await sandbox.json(['sandbox', 'snapshot', 'remove', 'after'])).toEqual({
      name: 'after',
      removed: true,
    });
    const gone = await snapshot('restore', 'after');
    expect(gone).toMatchObject({ exit: 5, stderr: expect.stringContaining('no snapshot after') });
  });

  it('says what is wrong with a name before anything is done', async () => {
    for (const words of [
      ['save', '../up'],
      ['save', 'before-approval'],
      ['restore', 'A'],
    ]) {
      expect((await snapshot(...words)).exit).toBe(2);
    }
  });

  it('brings the clock back with the state', async () => {
    const then = await sandbox.json(['sandbox', 'snapshot', 'save', 'clock']);
    await sandbox.json(['sandbox', 'clock', 'advance', '15d']);
    const restored = await snapshot('restore', 'clock');
    expect(restored.exit).toBe(0);
    const { now } = await sandbox.json(['sandbox', 'clock', 'show']);
    const late = Date.parse(now) - Date.parse(then.now);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(86_400_000);
  });

  it('lets two weeks pass, the clock with them, and tells what was done', async () => {
    await sandbox.json(['sandbox', 'clock', 'set', '2026-03-18T10:00Z']);
    await sandbox.json(['sandbox', 'clock', 'freeze']);
    await sandbox.json(['sandbox', 'reset', '--seed', 'demo']);
    await signIn();
    const planned = await sandbox.json(['sandbox', 'simulate', '2w', '--dry-run']);
    expect(planned.planned).toBe(true);
    expect((await sandbox.json(['sandbox', 'clock', 'show'])).now).toBe(planned.from);
    const before = await submitted();
    const told = await sandbox.json(['sandbox', 'simulate', '2w']);
    expect({ ...told, planned: true }).toEqual(planned);
    expect((await sandbox.json(['sandbox', 'clock', 'show'])).now).toBe(told.to);
    const more = (await submitted()).length - before.length;
    expect(more).toBeGreaterThan(5);
    expect(more).toBeLessThanOrEqual(told.timesheets_submitted);
    // The demo's webhook hears of trackers.
    const deliveries = await sandbox.json(['sandbox', 'webhooks', 'deliveries']);
    expect(deliveries.length).toBeGreaterThan(20);
    expect(deliveries[0]).toMatchObject({ event: expect.stringMatching(/^tracker\./) });
    for (const wrong of ['2', 'soon', '0s', '2000d']) {
      expect((await sandbox.run(['sandbox', 'simulate', wrong])).exit, `${kind} ${wrong}`).toBe(2);
    }
  });

  it('begins with weeks that were lived through', async () => {
    await sandbox.json(['sandbox', 'clock', 'set', '2026-03-18T10:00Z']);
    const status = await sandbox.json(['sandbox', 'reset', '--seed', 'simulate:4w']);
    expect(status).toMatchObject({ seed: 'simulate:4w', now: expect.stringContaining('2026-03-18T10:00') });
    await signIn();
    const sheets: { date_from: string }[] = await sandbox.json(['timesheets', 'list'], token);
    const weeks = new Set(sheets.map(({ date_from }) => date_from));
    expect([...weeks].sort().at(-1)).toBe('2026-03-16');
    expect(weeks.size).toBeGreaterThanOrEqual(6);
    for (const wrong of ['simulate', 'simulate:x', 'simulate:nobody:4w']) {
      expect((await sandbox.run(['sandbox', 'reset', '--seed', wrong])).exit).toBe(2);
    }
  });
});
