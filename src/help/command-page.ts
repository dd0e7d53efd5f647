import type { Operation } from '../api/operation.ts';
import { type Command, type CommandNode, isGroup, listCommands } from '../cli/command.ts';
import {
  FILTERS,
  type Flag,
  formatFlagTerm,
  formatLongFlag,
  formatPositionalTerm,
  hasFlag,
  isRequired,
} from '../cli/flag.ts';
import { COMMON_FLAGS } from '../commands/flags.ts';
import { EXIT } from '../errors.ts';
import { formatFlags, type HelpEntry, type HelpPage, toSentence, writeEntries } from './page.ts';

/** The help of a command, and of a noun: one line, usage, examples, its own flags, then what it sends. */

/** Who may carry an operation out (docs/service.md, Roles), in words. */
const ROLE_WORDS: Readonly<Record<Operation['roles'], string>> = {
  any: '',
  managers: ' Owners and Executive Managers only.',
  'task-writers': ' Owners, Executive Managers, Project Managers and Team Managers only.',
};

const TOGETHER = ['Targets', 'Flags', 'Input'];
/** From what a command is about to what is rarely needed; headings that are not here stand between. */
const ORDER = [...TOGETHER, FILTERS, '', 'Paging'];

/** Whether it is one that many commands have: then it is named, and a topic says what it means. */
function isCommon(flag: Flag): boolean {
  const isSame = ({ name, about }: Flag): boolean => name === flag.name && about === flag.about;
  return Object.values(COMMON_FLAGS).some((flags) => flags.some(isSame));
}

export function writeCommands(node: CommandNode): string {
  const entries = (node.commands ?? []).flatMap(listCommands).map((leaf): HelpEntry => {
    const between = leaf.path.slice(node.path.length, -leaf.name.length).trim();
    const term = [between, leaf.name, ...leaf.positionals.map(formatPositionalTerm)].join(' ');
    return [term.trim(), leaf.about];
  });
  return writeSection('Commands', [writeEntries(entries)]);
}

export function buildCommandPage(node: CommandNode): HelpPage {
  const lead = toSentence(node.about);
  if (isGroup(node)) {
    const { aliases, path } = node;
    return [
      ...[lead, `# Usage\n$ ttctl ${path} <command> [flags]`, writeCommands(node)],
      aliases.length === 0 ? '' : `Also called: ${aliases.join(', ')}.`,
      `For flags and examples: ttctl ${path} <command> --help`,
    ];
  }
  const { examples, more = [], positionals, flags, path } = node;
  const needed = flags.filter((flag) => isRequired(flag) && flag.group !== FILTERS).map(formatFlagTerm);
  const usage = ['ttctl', path, ...positionals.map(formatPositionalTerm), ...needed, '[flags]'].join(' ');
  const terms = positionals.map((one): HelpEntry => [formatPositionalTerm(one), one.about]);
  const getRank = ({ group = 'Flags' }: Flag): number => ORDER.indexOf(ORDER.includes(group) ? group : '');
  const getHeading = ({ group = 'Flags' }: Flag): string => (TOGETHER.includes(group) ? 'Flags' : group);
  const own = flags.filter((flag) => !isCommon(flag)).sort((one, other) => getRank(one) - getRank(other));
  const groups = [...new Set(own.map(getHeading))].map(
    (heading) => `# ${heading}\n${formatFlags(own.filter((flag) => getHeading(flag) === heading))}`,
  );
  const isCheck = node.exits?.includes(EXIT.found) === true && !hasFlag(node, 'exit-code');
  return [
    ...[lead, `# Usage\n$ ${usage}`, writeSection('Examples', examples.map(toCommandLine))],
    ...more.map(({ title, text, commands = [] }) =>
      writeSection(title, [...(text?.split('\n') ?? []), ...commands.map(toCommandLine)]),
    ),
    writeCommands(node),
    writeSection('Arguments', [writeEntries(terms)]),
    ...groups,
    ...[describeOperation(node), isCheck ? 'Exits with 10 if something is found.' : '', describeMore(node)],
  ];
}

const toCommandLine = (line: string): string => `$ ${line}`;

/** What many commands have in common, by its name, with the topic. A name and a command are not broken. */
function describeMore(node: Command): string {
  const topics = [...(hasFlag(node, 'from-file') ? ['bulk'] : []), 'output', 'exit-codes'];
  const common = node.flags.filter(isCommon).map(formatLongFlag).join(', ');
  const help = (topic: string): string => `ttctl\u00a0help\u00a0${topic}`;
  const more = common && `More flags: ${common} (${help('flags')}). `;
  const every = 'Every command: --dry-run, --yes, --output and others (ttctl\u00a0--help).';
  return `${more}${every} See also: ${topics.map(help).join(', ')}`;
}

function writeSection(title: string, lines: readonly string[]): string {
  const text = lines.filter(Boolean).join('\n');
  return text && `# ${title}\n${text}`;
}

function describeOperation({ operation }: Command): string {
  if (operation === undefined) return '';
  const { route, scope, roles, undo } = operation;
  const sends = `Sends ${route} (${scope === 'write' ? 'writes' : 'reads'}; scope: ${scope}).${ROLE_WORDS[roles]}`;
  if (undo === undefined) return sends;
  if (undo.kind === 'none') return `${sends} Cannot be undone: ${undo.why}.`;
  if (undo.kind === 'values') return `${sends} Undo: ttctl undo restores the old values.`;
  const what = undo.kind === 'opposite' ? 'makes the opposite change' : 'removes the new record';
  return `${sends} Undo: ttctl undo ${what} (${undo.by.replace('.', ' ')}).`;
}
