import { describe, expect, it } from 'vitest';
import type { ListView } from '../../src/output/list-view.ts';
import { runInProcess } from '../support/in-process.ts';
import { envelope, onePage, serviceEnv, startRecorder } from '../support/service.ts';
import { capture, pagesOf } from './capture.ts';

const VIEW: ListView = {
  noun: 'things',
  columns: [
    { field: 'name' },
    { field: 'status', drop: 1 },
    { field: 'worked', title: 'hours', onRequest: true },
    { field: 'note', sparse: true },
    { field: 'id' },
  ],
};
const ROWS = [{ id: 1, name: 'Ann', status: 'active', worked: 2, rate: 45 }];

const list = async (format: string, columns: readonly string[], options = {}) => {
  const { output, stdout } = capture(format, { columns, ...options });
  await output.list(pagesOf([ROWS]), VIEW);
  return stdout();
};

describe('--columns with signs', () => {
  it('adds to the default columns, before the id, and leaves out', async () => {
    const changes = ['+rate', '-status'];
    expect(await list('table', changes)).toBe('NAME  RATE  ID\nAnn     45   1\n');
    expect(await list('markdown', changes)).toContain('| name | rate | id |');
  });

  it('starts from the columns that the format has without it: of the record, for programs', async () => {
    const changes = ['+hours', '-status', '+nothing.else'];
    const documented = async () => ['id', 'name', 'status', 'worked', 'nothing'];
    const { id, name, rate } = ROWS[0] ?? {};
    const row = { id, name, worked: 2, 'nothing.else': null };
    for (const format of ['csv', 'tsv']) {
      const [heading = ''] = (await list(format, changes, { documented })).split(/\r?\n/);
      expect(heading.split(/[,\t]/)).toEqual(['id', 'name', 'worked', 'nothing.else', 'rate']);
      expect(await list(format, ['-rate'])).not.toContain('45');
    }
    expect(JSON.parse(await list('json', changes, { documented }))).toEqual([{ ...row, rate }]);
    expect(JSON.parse(await list('ndjson', changes, { documented }))).toEqual({ ...row, rate });
    expect(await list('ids', ['-id'])).toBe('1\n');
  });

  it.each([
    [['+rate', '-rate'], false],
    [['-rate', '+rate'], true],
    [['-status', '+rate', '-rate', '+status'], false],
  ])('of several changes of a column the last one counts: %s', async (changes, isShown) => {
    expect((await list('table', changes)).includes('RATE')).toBe(isShown);
    const [row] = JSON.parse(await list('json', changes));
    expect(['rate' in row, 'status' in row]).toEqual([isShown, true]);
  });

  it('of an empty list has the heading that rows would have', async () => {
    const { output, stdout } = capture('csv', { columns: ['+member.email', '-status'] });
    const documented = async () => ['id', 'status', 'rate'];
    await output.list(pagesOf([[]]), { ...VIEW, documented });
    expect(stdout()).toBe('id,rate,member.email\r\n');
  });

  it('sorts by a column that is left out', async () => {
    const { output, stdout } = capture('csv', {
      columns: ['-worked'],
      sort: [{ field: 'worked', descending: false }],
    });
    await output.list(
      pagesOf([
        [
          { id: 1, worked: 2 },
          { id: 2, worked: 1 },
        ],
      ]),
      VIEW,
    );
    expect(stdout()).toBe('id\r\n2\r\n1\r\n');
  });

  it('drops columns on a narrow terminal as without it, but not the added ones', async () => {
    expect(await list('table', ['+rate'], { width: 16 })).toBe('NAME  RATE  ID\nAnn     45   1\n');
  });

  it('refuses a name of nothing', async () => {
    await expect(list('table', ['-nothing'])).rejects.toThrow('--columns: no record has "nothing"');
  });

  it('changes the fields of one record', async () => {
    const { output, stdout } = capture('json', { columns: ['+worked', '-status'] });
    await output.record(ROWS[0] ?? {}, VIEW.columns);
    expect(JSON.parse(stdout())).toEqual({ id: 1, name: 'Ann', worked: 2, rate: 45 });
  });
});

describe('--columns', () => {
  const run = async (...args: string[]) => {
    const service = await startRecorder(({ line }) => ({
      body: line.includes('/17') ? envelope(ROWS[0]) : onePage(ROWS),
    }));
    const outcome = await runInProcess(args, { env: serviceEnv(service) });
    await service.close();
    return { ...outcome, requests: service.requests.length };
  };

  it.each([[[]], [['--output', 'csv']], [['-q']]])(
    'without a value lists the columns, and sends nothing: %j',
    async (more) => {
      const { stdout, exit, requests } = await run('leaves', 'list', '--columns', ...more);
      expect({ exit, requests }).toEqual({ exit: 0, requests: 0 });
      expect(stdout).toMatch(/^column,heading,default|^COLUMN +HEADING +DEFAULT/);
      expect(stdout).toMatch(/^user_id[, ]+member[, ]+(true|yes)/m);
      expect(stdout).toMatch(/^approved_by[, ]+approved by[, ]+(false|no)/m);
    },
  );

  it('lists the fields of a record', async () => {
    expect((await run('members', 'get', '17', '--columns', '-o', 'ids')).stdout.split('\n')).toContain(
      'rate',
    );
  });

  it('has no use for an empty value, which a script may have by mistake', async () => {
    expect((await run('members', 'list', '--columns', '')).stderr).toContain('has an empty name');
  });
});
