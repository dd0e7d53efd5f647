import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/document.ts';
import {
  faultOf,
  idsOf,
  mutants,
  noticedBy,
  type Promised,
  type Requirements,
  runsEverywhere,
  testOf,
} from '../support/proofs.ts';
import { COMMAND_LINE } from './command-line.ts';
import { CONVENTIONS } from './conventions.ts';
import { PERFORMANCE } from './performance.ts';
import { RELIABILITY } from './reliability.ts';
import { SANDBOX } from './sandbox.ts';

/** Each requirement has its proofs, and docs/requirements.md is made of them: `npm run docs`. */

const CHAPTERS: Readonly<Record<string, Requirements>> = {
  'The command line': COMMAND_LINE,
  'Reliability and security': RELIABILITY,
  'What people expect of any command line': CONVENTIONS,
  Performance: PERFORMANCE,
  'The sandbox': SANDBOX,
};
const ALL = Object.values(CHAPTERS).flatMap((chapter) => Object.values(chapter).flat());

const LETTERS = { A: 7, B: 6, C: 3, D: 4, E: 4, F: 4, G: 8, H: 9 };
const CONVENTIONAL = {
  ...{ BAS: 7, HLP: 12, VER: 2, ARG: 13, OUT: 14, ERR: 11, EXT: 6, INT: 9, SAF: 9, CFG: 8, AUT: 8 },
  ...{ ROB: 13, SUB: 5, CMP: 5, UPD: 2, TEL: 1, PKG: 3, AGT: 5 },
};

/** Those whose proofs are known to fail where the program is broken: `npm run mutants`. */
const NOTICED = ['A2', 'B1', 'C1', 'D1', 'D2', 'D3', 'D4', 'E1', 'E2', 'G7'];

describe('the requirements', () => {
  it('are each there once', () => {
    expect(ALL.map(({ id }) => id)).toEqual([
      ...idsOf({ CLI: 7 }, '-'),
      ...idsOf(LETTERS, ''),
      ...idsOf(CONVENTIONAL, '-'),
      ...idsOf({ PERF: 7, SBX: 14 }, '-'),
    ]);
  });

  it.each(ALL)('$id: $says', ({ proofs, because }) => {
    expect(proofs.length > 0 || because !== undefined).toBe(true);
    expect(proofs.map(faultOf).filter((fault) => fault !== undefined)).toEqual([]);
    // A test that a machine leaves out proves nothing there.
    expect(proofs.length === 0 || proofs.some(runsEverywhere)).toBe(true);
  });

  it('are proved by tests that notice broken code', async () => {
    const all = await mutants();
    const noticed = ALL.filter(({ proofs }) => proofs.some((proof) => noticedBy(all, proof).length > 0));
    expect(noticed.map(({ id }) => id)).toEqual(expect.arrayContaining(NOTICED));
  });
});

/** As code, whatever is in it. */
const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

const entryOf = ({ id, says, proofs, because }: Promised): string =>
  [
    `- **${id}** ${says.replace(/[<>*]/g, '\\$&')}`,
    ...proofs.map(testOf).map(([file, test]) => `  - ${file} ${code(test)}`),
    ...(because === undefined ? [] : [`  - ${because.replace(/[<>*]/g, '\\$&')}`]),
  ].join('\n');

const chapterOf = ([title, sections]: [string, Requirements]): string =>
  [
    `## ${title}`,
    ...Object.entries(sections).flatMap(([name, some]) => [`### ${name}`, some.map(entryOf).join('\n')]),
  ].join('\n\n');

const page = (): string =>
  [
    '# Requirements, and the tests that prove them',
    'Written by `npm run docs` from test/requirements/, which is the place to change. Comments name a requirement as `docs/requirements.md, D3`. Below each are the tests that prove it, as file and `group › title`; a line without a test says why it is otherwise, or how it is measured. test/requirements/requirements.test.ts holds that each of these tests is there, is run and expects something; `npm run mutants` breaks the program and shows that they notice.',
    ...Object.entries(CHAPTERS).map(chapterOf),
    '',
  ].join('\n\n');

describe('docs/requirements.md', () => {
  it('is current', () => {
    const file = `${ROOT}docs/requirements.md`;
    const current = page().replace(/\n+$/, '\n');
    if (process.env.TTCTL_UPDATE_DOCS === '1') writeFileSync(file, current);
    else expect(readFileSync(file, 'utf8'), 'run: npm run docs').toBe(current);
  });
});
