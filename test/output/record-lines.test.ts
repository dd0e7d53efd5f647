import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/output/list-view.ts';
import { capture } from './capture.ts';

/** One record on terminals of any width. */

const ID = '7442420a-c539-4725-be99-c7c33d44f2dc';
const columns: readonly Column[] = [
  { field: 'id' },
  { field: 'role' },
  { field: 'email' },
  { field: 'created_at', title: 'asked', kind: 'time' },
  { field: 'inactive_minutes', title: 'minutes at most' },
  { field: 'notes' },
];
const record = {
  id: ID,
  role: 'Project manager',
  email: 'mei.tanaka@lindenhof.example',
  created_at: '2026-11-19T17:00:00Z',
  inactive_minutes: 10,
  notes: 'first\nsecond line',
};

const at = async (width: number | undefined) => {
  const { output, stdout } = capture('table', width === undefined ? {} : { width });
  await output.record(record, columns);
  return stdout().split('\n').slice(0, -1);
};

describe('a record', () => {
  it('has a line for each field where there is room', async () => {
    expect(await at(80)).toEqual([
      `id               ${ID}`,
      'role             Project manager',
      'email            mei.tanaka@lindenhof.example',
      'asked            2026-11-19 17:00Z',
      'minutes at most  10',
      'notes            first',
      '                 second line',
    ]);
    expect((await at(undefined))[3]).toBe('asked            2026-11-19 17:00Z');
  });

  it('on a narrow terminal breaks between words, and cuts no id and no address', async () => {
    expect(await at(30)).toEqual([
      'id',
      `                 ${ID}`,
      'role             Project',
      '                 manager',
      'email',
      '                 mei.tanaka@lindenhof.example',
      'asked            2026-11-19',
      '                 17:00Z',
      'minutes at most  10',
      'notes            first',
      '                 second line',
    ]);
  });
});
