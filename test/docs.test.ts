import { writeFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../src/api/operations.ts';
import { ERROR_CODES } from '../src/error-codes.ts';
import { EXIT_MEANING } from '../src/errors.ts';
import { VARIABLES } from '../src/help/topics.ts';
import { DIALECT_CHOICES } from '../src/sandbox/dialect.ts';
import { createSandbox } from '../src/sandbox/library.ts';
import { SEEDS } from '../src/sandbox/seeds/seed.ts';
import { ROOT, readDocument, sectionsOf } from './support/documents.ts';
import { readSchema } from './support/json-schemas.ts';
import { leaves } from './support/tree.ts';

/**
 * What the pages say is true: the code on the page of the sandbox runs, generated parts are current (`npm run docs` writes
 * them anew). The commands of all pages are run by test/documents.process.test.ts.
 */

const SANDBOX = readDocument('docs/sandbox.md');

describe('the page of the sandbox', () => {
  const blocks = sectionsOf('docs/sandbox.md').flatMap((section) => section.blocks);
  const of = (language: string) => blocks.filter((block) => block.language === language);
  const excerpts = of('ts').filter(({ text }) => text.startsWith('import'));
  const fragments = of('ts').filter(({ text }) => !text.startsWith('import'));

  it('has examples of each kind', () => {
    expect([excerpts.length > 0, fragments.length > 2]).toEqual([true, true]);
    expect(blocks.filter(({ language }) => !['sh', 'ts', 'json'].includes(language))).toEqual([]);
  });

  it.each(fragments)('runs: line $line', async ({ text }) => {
    const { code } = await transform(`async () => {${text}}`, { loader: 'ts', target: 'es2022' });
    await using sandbox = await createSandbox();
    const run = new Function('sandbox', 'expect', `return (${code.trim().replace(/;$/, '')})();`);
    await run(sandbox, expect);
  });

  it.each(excerpts)('shows the example: line $line', ({ text }) => {
    const source = readDocument('examples/vitest/test/approve-submitted.test.ts');
    for (const part of text.trim().split('\n\n')) expect(source).toContain(part);
  });

  it.each(of('json'))('shows a seed: line $line', async ({ text }) => {
    await using sandbox = await createSandbox({ seed: JSON.parse(text) });
    expect((await sandbox.control.status()).workspaces).toMatchObject([{ members: 2 }]);
  });

  it('names every seed', () => {
    for (const name of SEEDS) expect(SANDBOX).toContain(`| \`${name}\` |`);
  });
});

const code = (text: string) => `\`${text}\``;
const rowsOf = (rows: readonly (readonly string[])[]) =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

describe('generated parts: run `npm run docs` where one is not current', async () => {
  const commands = await leaves();
  const nouns = commands.map(({ path }) => path.split(' ')[0]);
  const byNoun = commands.toSorted(
    (a, b) => nouns.indexOf(a.path.split(' ')[0]) - nouns.indexOf(b.path.split(' ')[0]),
  );
  const undone = new Map<string, string[]>();
  for (const { id, undo } of allOperations) {
    if (undo === undefined) continue;
    const by = 'by' in undo ? `runs ${code(undo.by.replace('.', ' '))}` : 'sets the old values back';
    const effect = undo.kind === 'none' ? `nothing: ${undo.why} (exit 2)` : by;
    undone.set(effect, [...(undone.get(effect) ?? []), code(id.replace('.', ' '))]);
  }

  it.each([
    [
      ...['docs/reference.md', 'commands'],
      byNoun.map(({ path, command: { about, operation } }) => [
        ...[code(path), about.replaceAll('|', '\\|'), operation === undefined ? '' : code(operation.route)],
      ]),
    ],
    [
      'docs/reference.md',
      'environment',
      VARIABLES.map(([name, about]) => [code(name.replaceAll(', ', '`, `')), about]),
    ],
    ['docs/reference.md', 'exit-codes', Object.entries(EXIT_MEANING)],
    ['docs/logs.md', 'error-codes', Object.entries(ERROR_CODES).map(([name, about]) => [code(name), about])],
    ['docs/changes.md', 'undo', [...undone].map(([effect, ids]) => [ids.join(', '), effect])],
    [
      ...['docs/sandbox.md', 'dialects'],
      Object.entries(DIALECT_CHOICES).map(([name, values]) => [code(name), values.map(code).join(', ')]),
    ],
  ] as [string, string, string[][]][])('%s has its %s', (file, name, rows) => {
    const text = readDocument(file);
    const region = new RegExp(
      `(<!-- generated: ${name} -->\n(?:.*\n\\|[-| ]+\n)?)[\\s\\S]*?(\n<!-- end -->)`,
    );
    expect(text).toMatch(region);
    const current = text.replace(region, (_, head, foot) => head + rowsOf(rows) + foot);
    if (process.env.TTCTL_UPDATE_DOCS === '1') writeFileSync(`${ROOT}${file}`, current);
    else expect(text).toBe(current);
  });
});

it('the page of logs names every event, key, decision and reason of the schema', () => {
  const page = readDocument('docs/logs.md');
  const words = new Set<string>();
  JSON.stringify(readSchema('log'), (key, value) => {
    if (key === 'properties') for (const name of Object.keys(value)) words.add(name);
    if (key === 'const' || key === 'enum') for (const word of [value].flat()) words.add(String(word));
    return key === 'code' || key === 'method' ? undefined : value;
  });
  expect(words.size).toBeGreaterThan(40);
  expect([...words].filter((word) => word !== 'true' && !page.includes(`\`${word}\``))).toEqual([]);
});
