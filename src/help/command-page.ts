import type { Operation } from '../api/operation.ts';
import {
  type Command,
  type CommandNode,
  type Group,
  isGroup,
  listCommands,
  listSubcommands,
} from '../cli/command.ts';
import { hasFlag } from '../cli/flag.ts';
import { type CommandOutput, describeOutput, listExitCodes } from '../commands/outputs.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import { buildArgumentSections, buildFlagSections, formatCommandTerm, formatUsage } from './flags.ts';
import {
  createProse,
  createSection,
  type HelpEntry,
  type HelpPage,
  type HelpSection,
  joinUnbroken,
  toSentence,
} from './page.ts';

/** The help of a command, and of a noun: one line, usage, examples, flags, then what it sends, prints and ends with. */

/** `signedOut` → `signed out` */
const EXIT_NAMES = new Map<number, string>(
  Object.entries(EXIT).map(([name, code]) => [
    code,
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  ]),
);

const formatExitCodes = (codes: readonly ExitCode[]): string =>
  codes.map((code) => joinUnbroken(`${code} ${EXIT_NAMES.get(code)}`)).join(', ');

/** Who may carry an operation out (docs/service.md, Roles), in words. */
const ROLE_WORDS: Readonly<Record<Exclude<Operation['roles'], 'any'>, string>> = {
  managers: 'Owners and Executive Managers',
  'task-writers': 'Owners, Executive Managers, Project Managers and Team Managers',
};

const describeRequest = (command: Command): readonly string[] => {
  const { operation } = command;
  if (operation === undefined) return [];
  const { route, scope, roles } = operation;
  const effect = scope === 'write' ? 'writes' : 'reads';
  const who = roles === 'any' ? '' : ` ${ROLE_WORDS[roles]} only.`;
  return [`Sends ${route} (${effect}; scope: ${scope}).${who}`];
};

/** How the write is taken back, or why it cannot be. */
const describeUndo = ({ operation }: Command): readonly string[] => {
  const undo = operation?.undo;
  if (undo === undefined) return [];
  if (undo.kind === 'none') return [`Cannot be undone: ${undo.why}.`];
  if (undo.kind === 'values') return ['Undo: ttctl undo restores the old values.'];
  const command = undo.by.replace('.', ' ');
  if (undo.kind === 'opposite') return [`Undo: ttctl undo makes the opposite change (${command}).`];
  return [`Undo: ttctl undo removes the new record (${command}).`];
};

const formatFields = ({ fields = [] }: CommandOutput): string => fields.join(', ');

const describeShape = (output: CommandOutput): string => {
  const { shape, about, record } = output;
  if (shape === 'text') return toSentence(`${about}`);
  if (shape === 'document') return toSentence(`${about}, as JSON`);
  if (shape === 'results') {
    return `With --output json: an array, one result per target in the given order, with ${formatFields(output)}.`;
  }
  if (shape === 'result') return `With --output json: one result, with ${formatFields(output)}.`;
  const own = record === undefined ? '' : `, as the service sent ${shape === 'list' ? 'them' : 'it'}`;
  return `With --output json: ${shape === 'list' ? 'an array of records' : 'one record'}${own}. Fields: ${formatFields(output)}.`;
};

const formatOtherRecord = (when: string, fields: readonly string[] | undefined): string =>
  fields === undefined ? '' : ` ${when}: one record. Fields: ${fields.join(', ')}.`;

const formatOutput = (command: Command): readonly string[] => {
  const output = describeOutput(command);
  if (output === undefined) return [];
  const rows = output.rows === true ? ' With --from-file: an array of results.' : '';
  const named = formatOtherRecord('For a named one', output.named);
  const flagged = formatOtherRecord(`With ${output.flagged?.flag}`, output.flagged?.fields);
  const groups = output.groups === true ? ' With --group-by: an array of groups.' : '';
  return [describeShape(output) + named + flagged + groups + rows];
};

/** Topics that go on where the help of this command ends. */
const listTopics = (command: Command): readonly string[] => [
  ...(hasFlag(command, 'from-file') ? ['bulk'] : []),
  ...(hasFlag(command, 'timezone') ? ['dates'] : []),
  'output',
  'exit-codes',
];

const buildFooter = (command: Command): HelpSection => {
  const topics = listTopics(command).map((topic) => joinUnbroken(`ttctl help ${topic}`));
  return createProse(
    'Every command also accepts --profile, --workspace, --output, --columns, --query, --dry-run, --yes, --debug and others: see ttctl --help.',
    `See also: ${topics.join(', ')}`,
  );
};

const buildLeafPage = (command: Command): HelpPage => {
  const { examples, more = [], about } = command;
  return {
    lead: toSentence(about),
    sections: [
      createSection('Usage', { commands: [formatUsage(command)] }),
      ...(examples.length === 0 ? [] : [createSection('Examples', { commands: examples })]),
      ...more.map(({ title, text, entries, commands = [] }) =>
        createSection(title, text === undefined ? (entries ? { entries } : { commands }) : { text }),
      ),
      ...(command.verbs === undefined ? [] : [buildCommandsSection(command)]),
      ...buildArgumentSections(command),
      ...buildFlagSections(command),
      ...formatOutput(command).map((text) => createSection('Output', { text })),
      ...describeRequest(command).map((text) => createProse(text)),
      ...describeUndo(command).map((text) => createProse(text)),
      createProse(`Exit codes: ${formatExitCodes(listExitCodes(command))}.`),
      buildFooter(command),
    ],
  };
};

export const buildCommandsSection = (node: CommandNode): HelpSection =>
  createSection('Commands', {
    // A group that holds groups shows the commands that can be typed.
    entries: listSubcommands(node)
      .flatMap(listCommands)
      .map((leaf): HelpEntry => {
        const between = leaf.path.slice(node.path.length, -leaf.name.length).trim();
        return [`${between} ${formatCommandTerm(leaf)}`.trim(), leaf.about];
      }),
  });

const buildGroupPage = (group: Group): HelpPage => {
  const { aliases, path, about } = group;
  return {
    lead: toSentence(about),
    sections: [
      createSection('Usage', { commands: [formatUsage(group)] }),
      buildCommandsSection(group),
      ...(aliases.length === 0 ? [] : [createProse(`Also called: ${aliases.join(', ')}.`)]),
      createProse(`For flags and examples: ttctl ${path} <command> --help`),
    ],
  };
};

export const buildCommandPage = (node: CommandNode): HelpPage =>
  isGroup(node) ? buildGroupPage(node) : buildLeafPage(node);
