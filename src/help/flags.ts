import { type Command, isGroup, type Node, type Place } from '../cli/command.ts';
import { type Flag, flagTerm, isRequired, type Positional, positionalTerm } from '../cli/flag.ts';
import { defaultOf, wordsOf } from '../commands/answers.ts';
import { FILTERS, RAW } from '../commands/flags.ts';
import { type Entry, type Section, titled } from './page.ts';

/** The flags and positionals of a command for its page. */

const OWN = 'Flags';

/** From what a command is about to what is rarely needed; headings that are not here stand between. */
const ORDER = ['Targets', OWN, FILTERS, '', 'Input', 'Paging', 'Dates', RAW];

const rankOf = (heading: string): number => {
  const rank = ORDER.indexOf(heading);
  return rank < 0 ? ORDER.indexOf('') : rank;
};

/** What it means, its words where the description does not have them, and what it is without being given. */
const aboutOf = (flag: Flag): string => {
  const words = flag.binding === undefined ? wordsOf(flag) : [];
  const usual = defaultOf(flag);
  const more = [
    ...(words.length === 0 ? [] : [words.join(', ')]),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ];
  return more.length === 0 ? flag.about : `${flag.about} (${more.join('; ')})`;
};

const termOf = (flag: Flag): string => (flag.short === undefined ? `    ${flagTerm(flag)}` : flagTerm(flag));

export const flagEntries = (flags: readonly Flag[]): readonly Entry[] =>
  flags.map((flag) => [termOf(flag), aboutOf(flag)]);

/** One section for each group of flags. */
export const flagSections = ({ flags }: Command): readonly Section[] => {
  const groups = new Map<string, Flag[]>();
  for (const flag of flags) {
    const { group = OWN } = flag;
    groups.set(group, [...(groups.get(group) ?? []), flag]);
  }
  return [...groups]
    .sort(([one], [other]) => rankOf(one) - rankOf(other))
    .map(([group, own]) => titled(group, { entries: flagEntries(own) }));
};

/** `get <member>` */
export const commandTerm = ({ name, positionals }: Command): string =>
  [name, ...positionals.map(positionalTerm)].join(' ');

export const argumentSections = ({ positionals }: Command): readonly Section[] => {
  if (positionals.length === 0) return [];
  const entries = positionals.map((one: Positional): Entry => [positionalTerm(one), one.about]);
  return [titled('Arguments', { entries })];
};

const isNeeded = (flag: Flag): boolean => isRequired(flag) && flag.group !== FILTERS;

/** `ttctl members list --help` */
export const helpLine = ({ path }: Place): string => (path === '' ? 'ttctl --help' : `ttctl ${path} --help`);

/** `ttctl timesheets reject [id...] --reason <reason> [flags]` */
export const usageOf = (node: Node): string => {
  if (isGroup(node)) return `ttctl ${node.path} <command> [flags]`;
  const needed = node.flags.filter(isNeeded).map(flagTerm);
  const words = node.positionals.map(positionalTerm);
  return ['ttctl', node.path, ...words, ...needed, '[flags]'].join(' ');
};
