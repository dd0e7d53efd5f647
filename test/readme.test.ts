import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EXIT_MEANING } from '../src/errors.ts';
import { VARIABLES } from '../src/help/topics.ts';
import { leaves } from './support/tree.ts';

/** The generated parts of the README are current. `npm run docs` writes them anew. */

const README = fileURLToPath(new URL('../README.md', import.meta.url));

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const escaped = (text: string): string => text.replaceAll('|', '\\|');

const commands = async (): Promise<string> => {
  const nouns = new Map<string, string[][]>();
  for (const { path, command } of await leaves()) {
    const [noun = ''] = path.split(' ');
    const { operation } = command;
    const row = [
      `\`${path}\``,
      escaped(command.about),
      operation === undefined ? '' : `\`${operation.route}\``,
    ];
    nouns.set(noun, [...(nouns.get(noun) ?? []), row]);
  }
  return table(['command', 'what it does', 'operation'], [...nouns.values()].flat());
};

const PARTS: Readonly<Record<string, () => Promise<string>>> = {
  commands,
  environment: async () =>
    table(
      ['variable', 'meaning'],
      VARIABLES.map(([name, meaning]) => [`\`${name.replaceAll(', ', '`, `')}\``, meaning]),
    ),
  'exit-codes': async () =>
    table(
      ['exit', 'means'],
      Object.entries(EXIT_MEANING).map(([code, meaning]) => [code, meaning]),
    ),
};

const region = (name: string) => new RegExp(`(<!-- generated: ${name} -->)[\\s\\S]*?(<!-- end -->)`);

describe('the README', () => {
  it.each(Object.keys(PARTS))('has the current %s', async (name) => {
    const text = readFileSync(README, 'utf8');
    expect(text).toMatch(region(name));
    const part = await PARTS[name]?.();
    const current = text.replace(region(name), (_, head, foot) => `${head}\n${part}\n${foot}`);
    if (process.env.TTCTL_UPDATE_DOCS === '1') writeFileSync(README, current);
    else expect(text, 'run: npm run docs').toBe(current);
  });
});
