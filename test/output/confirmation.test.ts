import { describe, expect, it } from 'vitest';
import { type Confirmation, formatConfirmation } from '../../src/output/questions.ts';
import { PLAIN_PALETTE } from '../../src/output/terminal.ts';

const ID = '47f66630-9ce3-41f0-b882-9f5c6d010770';

const at = (width: number, confirmation: Partial<Confirmation>, unicode = true) =>
  formatConfirmation(
    { question: 'approve', facts: [], ...confirmation },
    { unicode, timeZone: 'UTC', now: () => 0, showSecrets: false, palette: PLAIN_PALETTE, width },
  );

const sheets: Partial<Confirmation> = {
  facts: ['profile    work (/home/ana/.config/ttctl/credentials.json)', 'workspace  Lindenhof Studio (101)'],
  sample: [
    ['Samir Haddad', 'Nov 9–15', '41:30', ID],
    ['Tomasz Zieliński', 'Nov 9–15', '8:00', ID],
  ],
  more: 7,
};

describe('what stands above a question', () => {
  it('at 100 columns has a line for each record', async () => {
    expect(await at(100, sheets)).toEqual([
      '  profile    work (/home/ana/.config/ttctl/credentials.json)',
      '  workspace  Lindenhof Studio (101)',
      '',
      `  Samir Haddad      Nov 9–15  41:30  ${ID}`,
      `  Tomasz Zieliński  Nov 9–15  8:00   ${ID}`,
      '  … and 7 more',
      '',
    ]);
  });

  it('at 30 columns wraps between words and cells', async () => {
    const lines = await at(30, sheets, false);
    expect(lines).toEqual([
      '  profile    work',
      '             (/home/ana/.config/ttctl/credentials.json)',
      '  workspace  Lindenhof Studio',
      '             (101)',
      '',
      '  Samir Haddad      Nov 9–15',
      '    41:30',
      `    ${ID}`,
      '  Tomasz Zieliński  Nov 9–15',
      '    8:00',
      `    ${ID}`,
      '  ... and 7 more',
      '',
    ]);
  });

  it('cuts no id, and keeps one that nothing else stands for', async () => {
    expect(await at(30, { sample: [[ID], ['Ana', '7']] })).toEqual([`  ${ID}`, '  Ana', '    7', '']);
  });

  it('takes no line and no colour from a name', async () => {
    const lines = await at(80, {
      facts: ['workspace  Mine\nprofile    other'],
      sample: [['Ana\n  Bob\x1b[2J\u202e', '7']],
    });
    expect(lines).toEqual(['  workspace  Mine\\nprofile other', '', '  Ana\\n Bob\\x1b[2J\\u202e  7', '']);
  });

  it('is nothing where there is nothing to say', async () => {
    expect(await at(80, {})).toEqual([]);
  });
});
