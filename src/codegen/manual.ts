import { type CommandNode, listSubcommands } from '../cli/command.ts';
import { loadProgram } from '../cli/registry.ts';
import { buildCommandPage } from '../help/command-page.ts';
import { buildManual } from '../help/manual.ts';
import type { HelpPage } from '../help/page.ts';
import { buildRootPage, type ProjectLinks } from '../help/root-page.ts';
import { DEFAULT_WIDTH, renderHelpText } from '../help/text.ts';
import { TOPICS } from '../help/topics.ts';

/** What the build makes of the commands: the manual, and the help of everything as text. No part of the program. */

/** The pages of `man` by the names of their files. */
export const buildManualPages = async (version: string): Promise<ReadonlyMap<string, string>> =>
  buildManual(await loadProgram(), `ttctl ${version}`);

const renderPlain = (page: HelpPage): string => renderHelpText(page, { width: DEFAULT_WIDTH, bold: false });

const listNodes = (node: CommandNode): readonly CommandNode[] => [
  node,
  ...listSubcommands(node).flatMap(listNodes),
];

/** The words after the noun: empty for the noun itself. */
const getSubpath = (noun: CommandNode, node: CommandNode): string => node.path.slice(noun.path.length).trim();

/**
 * Help as a pipe gets it, by first word and then by the words after it: `members` → `list`. The program itself has
 * an empty first word.
 */
export const buildHelpTexts = async (
  addresses: ProjectLinks,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> => {
  const program = await loadProgram();
  const texts = new Map([['', { '': renderPlain(buildRootPage(addresses)) }]]);
  for (const { name, load } of TOPICS) texts.set(name, { '': renderPlain(await load()) });
  for (const noun of program.commands) {
    const pages = listNodes(noun).map(
      (one) => [getSubpath(noun, one), renderPlain(buildCommandPage(one))] as const,
    );
    texts.set(noun.name, Object.fromEntries(pages) as { '': string });
  }
  return texts;
};
