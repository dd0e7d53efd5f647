import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { useCli } from '../support/use-cli.ts';

/** A long text, a page of long texts, and many rows or fields go through: nothing of ours overflows the stack. */

const LONG = 12_000_000;

// As in a process that has compiled many patterns: from then on V8 keeps a way back for each character of a repetition.
setFlagsFromString('--no-regexp-optimization');

let rows = '';
const META = '{"pagination":{"total":1,"per_page":100,"current_page":1,"last_page":1}}';
const { run } = useCli({
  shared: true,
  service: () => ({ body: `{"success":true,"message":"OK","data":[${rows}],"meta":${META}}` }),
});

const COMMANDS = [
  ...FORMAT_NAMES.map((format) => `members list -o ${format} --columns id,notes`),
  'members list -o json',
  'members list --query [].notes',
  'members list --query [].to_number(notes)',
  'members list --sort notes --group-by notes -o json',
  'members list -o ids --debug',
  'api GET /members',
];

const SHAPES = [
  ['one text of 12 MB', `{"id":17,"notes":"${'x'.repeat(LONG)}"}`],
  [
    'a text of 250,000 pieces that have to be escaped',
    `{"id":17,"notes":"${'é\\"\u200b##['.repeat(250_000)}"}`,
  ],
  [
    '100 notes of 120 kB',
    Array.from({ length: 100 }, (_, i) => `{"id":${i},"notes":"${'a b '.repeat(30_000)}"}`).join(','),
  ],
  ['a text of 12 million digits', `{"id":17,"notes":"0.${'0'.repeat(LONG)}1"}`],
  ['a number of 12 million digits', `{"id":17,"notes":${'7'.repeat(LONG)}}`],
] as const;

describe.each(SHAPES)('%s', (shape, text) => {
  // What takes seconds is asked of the two formats that have the most to do with it.
  const most = /list -o (json|table --columns id,notes)$/;
  it.each(COMMANDS.filter((line) => !shape.includes('escaped') || most.test(line)))(
    'is printed by: ttctl %s',
    async (line) => {
      rows = text;
      const { stdout, stderr, exit } = await run(line);
      expect(exit, stderr.slice(0, 500)).toBe(0);
      if (/json|api|query/.test(line) && !shape.includes('number'))
        for (const one of line.includes('ndjson') ? stdout.trim().split('\n') : [stdout]) JSON.parse(one);
    },
  );
});

// More than an argument list holds.
it.each(['api /members --paginate', 'expenses list --member 1 -o ids', 'leaves balances -o ids'])(
  'a page of 200,000 rows is read by: ttctl %s',
  { timeout: 60_000 },
  async (line) => {
    const row = (_: unknown, i: number) => `{"id":${i},"user_id":1,"status":"pending"}`;
    rows = Array.from({ length: 200_000 }, row).join(',');
    const { stderr, exit } = await run(line);
    expect(exit, stderr.slice(0, 500)).toBe(0);
  },
);
