import { isGroup, type Node } from '../cli/command.ts';
import { wholeProgram } from '../cli/registry.ts';
import { commandPage } from '../help/command-page.ts';
import { manual } from '../help/manual.ts';
import type { Page } from '../help/page.ts';
import { type Addresses, rootPage } from '../help/root-page.ts';
import { textOf, USUAL_WIDTH } from '../help/text.ts';
import { TOPICS } from '../help/topics.ts';

/** What the build makes of the commands: the manual, and the help of everything as text. No part of the program. */

/** The pages of `man` by the names of their files. */
export const manualOf = async (version: string): Promise<ReadonlyMap<string, string>> =>
  manual(await wholeProgram(), `ttctl ${version}`);

const plain = (page: Page): string => textOf(page, { width: USUAL_WIDTH, bold: false });

const everyOf = (node: Node): readonly Node[] => [
  node,
  ...(isGroup(node) ? node.commands.flatMap(everyOf) : []),
];

/** The words after the noun: empty for the noun itself. */
const below = (noun: Node, node: Node): string => node.path.slice(noun.path.length).trim();

/**
 * Help as a pipe gets it, by first word and then by the words after it: `members` → `list`. The program itself has
 * an empty first word.
 */
export const helpTexts = async (
  addresses: Addresses,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> => {
  const program = await wholeProgram();
  const texts = new Map([['', { '': plain(rootPage(addresses)) }]]);
  for (const { name, load } of TOPICS) texts.set(name, { '': plain(await load()) });
  for (const noun of program.commands) {
    const pages = everyOf(noun).map((one) => [below(noun, one), plain(commandPage(one))] as const);
    texts.set(noun.name, Object.fromEntries(pages) as { '': string });
  }
  return texts;
};
