import { type Command, type CommandNode, isGroup } from '../cli/command.ts';
import type { CommandInfo } from '../cli/flag.ts';
import {
  FILTERS,
  type Flag,
  formatDefault,
  formatFlagTerm,
  formatPositionalTerm,
  isRequired,
  type Positional,
  RAW,
} from '../cli/flag.ts';
import { createSection, type HelpEntry, type HelpSection } from './page.ts';

const OWN = 'Flags';

/** From what a command is about to what is rarely needed; headings that are not here stand between. */
const ORDER = ['Targets', OWN, FILTERS, '', 'Input', 'Paging', 'Dates', RAW];

const getRank = (heading: string): number => {
  const rank = ORDER.indexOf(heading);
  return rank < 0 ? ORDER.indexOf('') : rank;
};

/** What it means, its words where the description does not have them, and what it is without being given. */
const describeFlag = (flag: Flag): string => {
  const words = flag.binding === undefined ? (flag.choices ?? []) : [];
  const usual = formatDefault(flag);
  const more = [
    ...(words.length === 0 ? [] : [words.join(', ')]),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ];
  return more.length === 0 ? flag.about : `${flag.about} (${more.join('; ')})`;
};

const formatTerm = (flag: Flag): string =>
  flag.short === undefined ? `    ${formatFlagTerm(flag)}` : formatFlagTerm(flag);

export const listFlagEntries = (flags: readonly Flag[]): readonly HelpEntry[] =>
  flags.map((flag) => [formatTerm(flag), describeFlag(flag)]);

export const buildFlagSections = ({ flags }: Command): readonly HelpSection[] => {
  const groups = new Map<string, Flag[]>();
  for (const flag of flags) {
    const { group = OWN } = flag;
    groups.set(group, [...(groups.get(group) ?? []), flag]);
  }
  return [...groups]
    .sort(([one], [other]) => getRank(one) - getRank(other))
    .map(([group, own]) => createSection(group, { entries: listFlagEntries(own) }));
};

/** `get <member>` */
export const formatCommandTerm = ({ name, positionals }: Command): string =>
  [name, ...positionals.map(formatPositionalTerm)].join(' ');

export const buildArgumentSections = ({ positionals }: Command): readonly HelpSection[] => {
  if (positionals.length === 0) return [];
  const entries = positionals.map((one: Positional): HelpEntry => [formatPositionalTerm(one), one.about]);
  return [createSection('Arguments', { entries })];
};

const isNeeded = (flag: Flag): boolean => isRequired(flag) && flag.group !== FILTERS;

/** `ttctl members list --help` */
export const formatHelpCommand = ({ path }: CommandInfo): string =>
  path === '' ? 'ttctl --help' : `ttctl ${path} --help`;

/** `ttctl timesheets reject [id...] --reason <reason> [flags]` */
export const formatUsage = (node: CommandNode): string => {
  if (isGroup(node)) return `ttctl ${node.path} <command> [flags]`;
  const needed = node.flags.filter(isNeeded).map(formatFlagTerm);
  const words = node.positionals.map(formatPositionalTerm);
  return ['ttctl', node.path, ...words, ...needed, '[flags]'].join(' ');
};
