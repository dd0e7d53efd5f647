import type { Argument, Command, Help, Option } from 'commander';
import { factsOf, RAW } from './command.ts';

/** How help looks: one line, usage, examples, flags by group, then scope and operation. 80 columns, no colour. */

const WIDTH = 80;
const INDENT = 2;

/** Words wrapped to the width, later lines indented. */
const wrap = (text: string, width: number, indent: number): string => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
};

type Entry = readonly [term: string, about: string];

const TERM = 30;

const table = (entries: readonly Entry[]): string => {
  const widest = Math.min(TERM, Math.max(...entries.map(([term]) => term.length)));
  const column = INDENT + widest + 2;
  return entries
    .map(([term, about]) => {
      const text = wrap(about, WIDTH - column, column);
      const head = ' '.repeat(INDENT) + term;
      return term.length > widest ? `${head}\n${' '.repeat(column)}${text}` : `${head.padEnd(column)}${text}`;
    })
    .join('\n');
};

const section = (title: string, body: string): string => (body === '' ? '' : `${title}\n${body}\n`);

const grouped = <T extends { helpGroupHeading?: string | undefined }>(
  items: readonly T[],
  fallback: string,
): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const heading = item.helpGroupHeading ?? fallback;
    groups.set(heading, [...(groups.get(heading) ?? []), item]);
  }
  return groups;
};

const humanReadable = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** Name and arguments; aliases are hidden. */
const termOf = (command: Command): string =>
  [command.name(), ...command.registeredArguments.map((argument) => humanReadable(argument))].join(' ');

const commandSections = (command: Command, help: Help): string[] =>
  [
    ...grouped(
      help.visibleCommands(command).map((child) => ({
        helpGroupHeading: child.helpGroup() || undefined,
        entry: [termOf(child), child.description()] as const,
      })),
      'Commands:',
    ),
  ].map(([title, items]) => section(title, table(items.map(({ entry }) => entry))));

const optionTerm = (option: Option): string => (option.short ? option.flags : `    ${option.flags}`);

/** The command's own flags first, raw values last; the flags stay behind where help is the only one. */
const rankOf = (title: string, { length }: readonly Option[], fallback: string): number => {
  if (title === fallback) return length > 1 ? 0 : 3;
  return title === RAW ? 2 : 1;
};

const optionSections = (command: Command, help: Help, fallback: string): string[] =>
  [...grouped(help.visibleOptions(command), fallback)]
    .sort(([a, one], [b, other]) => rankOf(a, one, fallback) - rankOf(b, other, fallback))
    .map(([title, options]) =>
      section(title, table(options.map((option) => [optionTerm(option), option.description]))),
    );

const argumentSection = (command: Command): string =>
  section(
    'Arguments:',
    command.registeredArguments.length === 0
      ? ''
      : table(command.registeredArguments.map((argument) => [argument.name(), argument.description])),
  );

const protocol = (command: Command): string => {
  const { operation } = factsOf(command);
  if (operation === undefined) return '';
  const effect = operation.scope === 'write' ? 'writes' : 'reads';
  return `${wrap(`Sends ${operation.route} (${effect}; scope: ${operation.scope}).`, WIDTH, 0)}\n`;
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** For commander's `configureHelp({ formatHelp })`. */
export const formatHelp = (command: Command, help: Help): string => {
  const root = command.parent === null;
  const { examples } = factsOf(command);
  const about = capital(command.description());
  const parts = [
    `${wrap(about.endsWith('.') ? about : `${about}.`, WIDTH, 0)}\n`,
    section('Usage:', `  ${wrap(help.commandUsage(command), WIDTH - INDENT, INDENT + 4)}`),
    section('Examples:', examples.map((line) => `  ${line}`).join('\n')),
    argumentSection(command),
    ...commandSections(command, help),
    ...optionSections(command, help, root ? 'Flags that every command has:' : 'Flags:'),
    protocol(command),
    root
      ? 'Try it with nothing to set up: ttctl --profile sandbox timesheets list\nHelp on a command: ttctl <noun> <verb> --help\n'
      : `${wrap('Every command also takes --profile, --workspace, --output, --columns, --query, --yes, --dry-run, --debug and others: see ttctl --help.', WIDTH, 0)}\n`,
  ];
  return parts.filter((part) => part !== '').join('\n');
};
