import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { Undo } from '../src/api/operation.ts';
import { allOperations } from '../src/api/operations.ts';
import { ERROR_CODES } from '../src/error-codes.ts';
import { DIALECT_CHOICES } from '../src/sandbox/dialect.ts';
import { createSandbox } from '../src/sandbox/library.ts';
import { SEEDS } from '../src/sandbox/seeds/seed.ts';
import { readSchema } from './support/json-schemas.ts';

/**
 * What stands on the page of the sandbox is true: code runs, excerpts are those of the files that they
 * are from. (The commands of all pages are run by test/documents.process.test.ts.)
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

describe('the page of logs', () => {
  const file = join(ROOT, 'docs/logs.md');
  const page = readFileSync(file, 'utf8');

  it('lists every code of an error', () => {
    const rows = Object.entries(ERROR_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
    const table = ['| code | means |', '|---|---|', ...rows].join('\n');
    const region = /(<!-- generated: error-codes -->\n)[\s\S]*?(<!-- end -->)/;
    const current = page.replace(region, (_, head, foot) => `${head}${table}\n${foot}`);
    if (process.env.TTCTL_UPDATE_DOCS === '1') writeFileSync(file, current);
    else expect(page, 'run: npm run docs').toBe(current);
  });

  it('names every event, key, decision and reason of the schema', () => {
    const words = new Set<string>();
    JSON.stringify(readSchema('log'), (key, value) => {
      if (key === 'properties') for (const name of Object.keys(value)) words.add(name);
      if (key === 'const' || key === 'enum') for (const word of [value].flat()) words.add(String(word));
      return key === 'code' || key === 'method' ? undefined : value;
    });
    expect(words.size).toBeGreaterThan(40);
    expect([...words].filter((word) => word !== 'true' && !page.includes(`\`${word}\``))).toEqual([]);
  });
});

describe('the page of changes', () => {
  const file = join(ROOT, 'docs/changes.md');
  const page = readFileSync(file, 'utf8');

  it('says of every write how it is undone', () => {
    const commands = new Map<string, string[]>();
    for (const { id, undo } of allOperations) {
      if (undo === undefined) continue;
      const effect = describeUndo(undo);
      commands.set(effect, [...(commands.get(effect) ?? []), toCommand(id)]);
    }
    const rows = [...commands].map(([effect, all]) => `| ${all.join(', ')} | ${effect} |`);
    const table = ['| what was done | what `undo` does |', '|---|---|', ...rows].join('\n');
    const region = /(<!-- generated: undo -->\n)[\s\S]*?(<!-- end -->)/;
    const current = page.replace(region, (_, head, foot) => `${head}${table}\n${foot}`);
    if (process.env.TTCTL_UPDATE_DOCS === '1') writeFileSync(file, current);
    else expect(page, 'run: npm run docs').toBe(current);
  });
});

function describeUndo(undo: Undo): string {
  if (undo.kind === 'none') return `nothing: ${undo.why} (exit 2)`;
  return undo.kind === 'values' ? 'sets the old values back' : `runs ${toCommand(undo.by)}`;
}

function toCommand(id: string): string {
  return `\`${id.replace('.', ' ')}\``;
}

describe('the page of the sandbox', () => {
  const file = join(ROOT, 'docs/sandbox.md');
  const page = readFileSync(file, 'utf8');

  it('names every seed and every dialect', () => {
    for (const name of SEEDS) expect(page).toContain(`| \`${name}\` |`);
    const rows = Object.entries(DIALECT_CHOICES).map(
      ([name, values]) => `| \`${name}\` | ${values.map((value) => `\`${value}\``).join(', ')} |`,
    );
    const region = /(<!-- generated: dialects -->\n)[\s\S]*?(<!-- end -->)/;
    const current = page.replace(region, (_, head, foot) => `${head}${rows.join('\n')}\n${foot}`);
    if (process.env.TTCTL_UPDATE_DOCS === '1') writeFileSync(file, current);
    else expect(page, 'run: npm run docs').toBe(current);
  });
});
