// Every sentence that a person can see, from the sources, sorted by file: `npm run messages [part of a path …]`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const SINKS = /^(about|hint|label|message|note|prompt|question|reason|summary|text|title|tip|warning)s?$/;
const SKIPPED = /^(import|export(named|all)declaration|importdeclaration|importexpression|tsimporttype)/i;

const isNode = (value) => typeof value === 'object' && value !== null && typeof value.type === 'string';

const textOf = (node) => {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ value }) => value.cooked ?? value.raw).join('…');
};

/** Two words with a space between them, or one word that is given to a known field. */
const isShown = (text, sink) => {
  if (/^[\s{}<>()[\];:,."'…]*$/.test(text) || /^(use strict|\S*:\S*;)/.test(text)) return false;
  return /[a-z]{2}[^a-z\s]*\s+\S|\s[a-z]{2}/i.test(text) || (sink && /^[A-Z]?[a-z]{2}/.test(text));
};

function* shownIn(node, sink = false) {
  if (SKIPPED.test(node.type) && !node.declaration) return;
  const text = textOf(node);
  if (text !== undefined && isShown(text, sink)) yield { at: node.start, text };
  const named = node.type === 'Property' && SINKS.test(node.key.name ?? '');
  for (const value of Object.values(node).flat()) if (isNode(value)) yield* shownIn(value, named);
}

const wanted = process.argv.slice(2);
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && wanted.every((part) => name.includes(part)))
  .sort();
for (const file of files) {
  const source = readFileSync(join(SRC, file), 'utf8');
  for (const { at, text } of shownIn(parseAst(source, { lang: 'ts' }))) {
    const line = source.slice(0, at).split('\n').length;
    process.stdout.write(`${file}:${line}\t${text.replaceAll('\n', '\\n')}\n`);
  }
}
