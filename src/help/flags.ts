import type { Argument, Command, Option } from 'commander';
import { defaultOf, wordsOf } from '../commands/answers.ts';
import { RAW } from '../commands/command.ts';
import { parameterOf } from '../commands/options.ts';
import { type Entry, type Section, titled } from './page.ts';

/** The flags and positionals of a command for its page. */

const OWN = 'Flags:';

/** From what a command is about to what is rarely needed; headings that are not here stand between. */
const ORDER = ['Targets:', OWN, 'Filters of --all:', '', 'Input:', 'Paging:', 'Dates:', RAW];

const rankOf = (heading: string): number => {
  const rank = ORDER.indexOf(heading);
  return rank < 0 ? ORDER.indexOf('') : rank;
};

/** What it means, its words where the description does not have them, and what it is without being given. */
const aboutOf = (option: Option): string => {
  const words = parameterOf(option) === undefined ? wordsOf(option) : [];
  const usual = defaultOf(option);
  const more = [
    ...(words.length === 0 ? [] : [words.join(', ')]),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ];
  return more.length === 0 ? option.description : `${option.description} (${more.join('; ')})`;
};

const termOf = (option: Option): string => (option.short ? option.flags : `    ${option.flags}`);

export const flagEntries = (options: readonly Option[]): readonly Entry[] =>
  options.filter(({ hidden }) => !hidden).map((option) => [termOf(option), aboutOf(option)]);

/** One section for each group of flags. */
export const flagSections = ({ options }: Command): readonly Section[] => {
  const groups = new Map<string, Option[]>();
  for (const option of options) {
    const heading = option.helpGroupHeading ?? OWN;
    groups.set(heading, [...(groups.get(heading) ?? []), option]);
  }
  return [...groups]
    .sort(([one], [other]) => rankOf(one) - rankOf(other))
    .map(([heading, own]) => titled(heading.replace(/:$/, ''), { entries: flagEntries(own) }));
};

const argumentTerm = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** `get <member>` */
export const commandTerm = (command: Command): string =>
  [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' ');

export const argumentSections = ({ registeredArguments }: Command): readonly Section[] => {
  if (registeredArguments.length === 0) return [];
  const entries = registeredArguments.map((one): Entry => [argumentTerm(one), one.description]);
  return [titled('Arguments', { entries })];
};

const isNeeded = ({ description, helpGroupHeading }: Option): boolean =>
  description.endsWith('; needed') && helpGroupHeading !== 'Filters of --all:';

/** `timesheets approve` */
export const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** `ttctl members list --help` */
export const helpLine = (command: Command): string =>
  command.parent === null ? 'ttctl --help' : `ttctl ${pathOf(command)} --help`;

/** `ttctl timesheets reject [id...] --reason <reason> [flags]` */
export const usageOf = (command: Command): string => {
  if (command.commands.length > 0) return `ttctl ${pathOf(command)} <command> [flags]`;
  const needed = command.options.filter(isNeeded).map(({ flags }) => flags);
  const words = command.registeredArguments.map(argumentTerm);
  return ['ttctl', pathOf(command), ...words, ...needed, '[flags]'].join(' ');
};
