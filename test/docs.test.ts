import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { Undo } from '../src/api/operation.ts';
import { allOperations } from '../src/api/operations.ts';
import { ERROR_CODES } from '../src/error-codes.ts';
import { EXIT_MEANING } from '../src/errors.ts';
import { VARIABLES } from '../src/help/topics.ts';
import { DIALECT_CHOICES } from '../src/sandbox/dialect.ts';
import { createSandbox } from '../src/sandbox/library.ts';
import { SEEDS } from '../src/sandbox/seeds/seed.ts';
import { readSchema } from './support/json-schemas.ts';
import { leaves } from './support/tree.ts';

/**
 * What the pages say is true: the code on the page of the sandbox runs, generated parts are current (`npm run docs` writes
 * them anew). The commands of all pages are run by test/documents.process.test.ts.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Block {
  /** `file, line`: where it begins. */
  readonly place: string;
  readonly kind: string;
  readonly text: string;
}

const blocksOf = (file: string): Block[] => {
  const text = readFileSync(join(ROOT, 'docs', file), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => ({
    place: `${file}, line ${text.slice(0, match.index).split('\n').length}`,
    kind: match[1] ?? '',
    text: match[2] ?? '',
  }));
};

const blocks = blocksOf('sandbox.md');
const of = (kind: string) => blocks.filter((block) => block.kind === kind);

const excerpts = of('ts').filter(({ text }) => text.startsWith('import'));
const fragments = of('ts').filter(({ text }) => !text.startsWith('import'));

describe('docs', () => {
  it('are read at all', () => {
    expect([excerpts.length > 0, fragments.length > 2]).toEqual([true, true]);
    expect(blocks.filter(({ kind }) => !['sh', 'ts', 'json'].includes(kind))).toEqual([]);
  });

  it.each(fragments)('$place runs', async ({ text }) => {
    const { code } = await transform(`async () => {${text}}`, { loader: 'ts', target: 'es2022' });
    await using sandbox = await createSandbox();
    const run = new Function('sandbox', 'expect', `return (${code.trim().replace(/;$/, '')})();`);
    await run(sandbox, expect);
  });

  it.each(excerpts)('$place is of the example', ({ text }) => {
    const source = readFileSync(join(ROOT, 'examples/vitest/test/approve-submitted.test.ts'), 'utf8');
    for (const part of text.trim().split('\n\n')) expect(source).toContain(part);
  });

  it.each(of('json'))('$place is a seed', async ({ text }) => {
    const sandbox = await createSandbox({ seed: JSON.parse(text) });
    expect((await sandbox.control.status()).workspaces).toMatchObject([{ members: 2 }]);
    await sandbox.close();
  });
});

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const code = (text: string): string => `\`${text}\``;
const toCommand = (id: string): string => code(id.replace('.', ' '));

const describeUndo = (undo: Undo): string => {
  if (undo.kind === 'none') return `nothing: ${undo.why} (exit 2)`;
  return undo.kind === 'values' ? 'sets the old values back' : `runs ${toCommand(undo.by)}`;
};

const undone = new Map<string, string[]>();
for (const { id, undo } of allOperations)
  if (undo !== undefined)
    undone.set(describeUndo(undo), [...(undone.get(describeUndo(undo)) ?? []), toCommand(id)]);

const all = await leaves();
const nounOf = (path: string) => path.split(' ')[0];
const byNoun = [...new Set(all.map(({ path }) => nounOf(path)))].flatMap((noun) =>
  all.filter(({ path }) => nounOf(path) === noun),
);
const commands = byNoun.map(({ path, command: { about, operation } }) => [
  ...[code(path), about.replaceAll('|', '\\|')],
  operation === undefined ? '' : code(operation.route),
]);

const GENERATED: readonly (readonly [file: string, part: string, text: string])[] = [
  ['README.md', 'commands', table(['command', 'what it does', 'operation'], commands)],
  [
    ...(['README.md', 'environment'] as const),
    table(
      ['variable', 'meaning'],
      VARIABLES.map(([name, meaning]) => [code(name.replaceAll(', ', '`, `')), meaning]),
    ),
  ],
  ['README.md', 'exit-codes', table(['exit', 'means'], Object.entries(EXIT_MEANING))],
  [
    ...(['docs/logs.md', 'error-codes'] as const),
    table(
      ['code', 'means'],
      Object.entries(ERROR_CODES).map(([name, meaning]) => [code(name), meaning]),
    ).replace('| --- | --- |', '|---|---|'),
  ],
  [
    ...(['docs/changes.md', 'undo'] as const),
    table(
      ['what was done', 'what `undo` does'],
      [...undone].map(([effect, all]) => [all.join(', '), effect]),
    ).replace('| --- | --- |', '|---|---|'),
  ],
  [
    ...(['docs/sandbox.md', 'dialects'] as const),
    Object.entries(DIALECT_CHOICES)
      .map(([name, values]) => `| ${code(name)} | ${values.map(code).join(', ')} |`)
      .join('\n'),
  ],
];

describe('generated parts', () => {
  it.each(GENERATED)('%s has the current %s', (file, name, part) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const region = new RegExp(`(<!-- generated: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
    expect(text).toMatch(region);
    const current = text.replace(region, (_, head, foot) => `${head}${part}\n${foot}`);
    if (process.env.TTCTL_UPDATE_DOCS === '1') writeFileSync(join(ROOT, file), current);
    else expect(text, 'run: npm run docs').toBe(current);
  });
});

it('the page of logs names every event, key, decision and reason of the schema', () => {
  const page = readFileSync(join(ROOT, 'docs/logs.md'), 'utf8');
  const words = new Set<string>();
  JSON.stringify(readSchema('log'), (key, value) => {
    if (key === 'properties') for (const name of Object.keys(value)) words.add(name);
    if (key === 'const' || key === 'enum') for (const word of [value].flat()) words.add(String(word));
    return key === 'code' || key === 'method' ? undefined : value;
  });
  expect(words.size).toBeGreaterThan(40);
  expect([...words].filter((word) => word !== 'true' && !page.includes(`\`${word}\``))).toEqual([]);
});

it('the page of the sandbox names every seed', () => {
  const page = readFileSync(join(ROOT, 'docs/sandbox.md'), 'utf8');
  for (const name of SEEDS) expect(page).toContain(`| \`${name}\` |`);
});
