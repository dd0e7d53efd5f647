import type { Operation } from '../api/operation.ts';
import { type Command, type CommandNode, type Group, isGroup, listCommands } from '../cli/command.ts';
import {
  type CommandInfo,
  FILTERS,
  type Flag,
  formatFlagTerm,
  formatPositionalTerm,
  hasFlag,
  isRequired,
  type Positional,
  RAW,
} from '../cli/flag.ts';
import { type CommandOutput, describeOutput, listExitCodes } from '../commands/outputs.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import {
  createProse,
  createSection,
  type HelpEntry,
  type HelpPage,
  type HelpSection,
  joinUnbroken,
  toSentence,
} from './page.ts';
import { listFlagEntries } from './root-page.ts';

/** The help of a command, and of a noun: one line, usage, examples, flags, then what it sends, prints and ends with. */

/** `signedOut` → `signed out` */
const EXIT_NAMES = new Map<number, string>(
  Object.entries(EXIT).map(([name, code]) => [
    code,
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  ]),
);

/** Who may carry an operation out (docs/service.md, Roles), in words. */
const ROLE_WORDS: Readonly<Record<Exclude<Operation['roles'], 'any'>, string>> = {
  managers: 'Owners and Executive Managers',
  'task-writers': 'Owners, Executive Managers, Project Managers and Team Managers',
};

export function buildCommandsSection(node: CommandNode): HelpSection {
  return createSection('Commands', {
    // A group that holds groups shows the commands that can be typed.
    entries: (node.commands ?? []).flatMap(listCommands).map((leaf): HelpEntry => {
      const between = leaf.path.slice(node.path.length, -leaf.name.length).trim();
      return [`${between} ${formatCommandTerm(leaf)}`.trim(), leaf.about];
    }),
  });
}

export function buildCommandPage(node: CommandNode): HelpPage {
  return isGroup(node) ? buildGroupPage(node) : buildLeafPage(node);
}

function buildGroupPage(group: Group): HelpPage {
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
}

function buildLeafPage(command: Command): HelpPage {
  const { examples, more = [], about } = command;
  return {
    lead: toSentence(about),
    sections: [
      createSection('Usage', { commands: [formatUsage(command)] }),
      ...(examples.length === 0 ? [] : [createSection('Examples', { commands: examples })]),
      ...more.map(({ title, text, entries, commands = [] }) =>
        createSection(title, text === undefined ? (entries ? { entries } : { commands }) : { text }),
      ),
      ...(command.commands === undefined ? [] : [buildCommandsSection(command)]),
      ...buildArgumentSections(command),
      ...buildFlagSections(command),
      ...formatOutput(command).map((text) => createSection('Output', { text })),
      ...describeRequest(command).map((text) => createProse(text)),
      ...describeUndo(command).map((text) => createProse(text)),
      createProse(`Exit codes: ${listExitCodes(command).map(formatExitCode).join(', ')}.`),
      buildFooter(command),
    ],
  };
}

function formatOutput(command: Command): readonly string[] {
  const output = describeOutput(command);
  if (output === undefined) return [];
  const rows = output.rows === true ? ' With --from-file: an array of results.' : '';
  const named = formatOtherRecord('For a named one', output.named);
  const flagged = formatOtherRecord(`With ${output.flagged?.flag}`, output.flagged?.fields);
  const groups = output.groups === true ? ' With --group-by: an array of groups.' : '';
  return [describeShape(output) + named + flagged + groups + rows];
}

function formatOtherRecord(when: string, fields: readonly string[] | undefined): string {
  return fields === undefined ? '' : ` ${when}: one record. Fields: ${fields.join(', ')}.`;
}

function describeShape(output: CommandOutput): string {
  const { shape, about, record } = output;
  if (shape === 'text') return toSentence(`${about}`);
  if (shape === 'document') return toSentence(`${about}, as JSON`);
  if (shape === 'results') {
    return `With --output json: an array, one result per target in the given order, with ${formatFields(output)}.`;
  }
  if (shape === 'result') return `With --output json: one result, with ${formatFields(output)}.`;
  const own = record === undefined ? '' : `, as the service sent ${shape === 'list' ? 'them' : 'it'}`;
  return `With --output json: ${shape === 'list' ? 'an array of records' : 'one record'}${own}. Fields: ${formatFields(output)}.`;
}

function formatFields({ fields = [] }: CommandOutput): string {
  return fields.join(', ');
}

function describeRequest(command: Command): readonly string[] {
  const { operation } = command;
  if (operation === undefined) return [];
  const { route, scope, roles } = operation;
  const effect = scope === 'write' ? 'writes' : 'reads';
  const who = roles === 'any' ? '' : ` ${ROLE_WORDS[roles]} only.`;
  return [`Sends ${route} (${effect}; scope: ${scope}).${who}`];
}

/** How the write is taken back, or why it cannot be. */
function describeUndo({ operation }: Command): readonly string[] {
  const undo = operation?.undo;
  if (undo === undefined) return [];
  if (undo.kind === 'none') return [`Cannot be undone: ${undo.why}.`];
  if (undo.kind === 'values') return ['Undo: ttctl undo restores the old values.'];
  const command = undo.by.replace('.', ' ');
  if (undo.kind === 'opposite') return [`Undo: ttctl undo makes the opposite change (${command}).`];
  return [`Undo: ttctl undo removes the new record (${command}).`];
}

function formatExitCode(code: ExitCode): string {
  return joinUnbroken(`${code} ${EXIT_NAMES.get(code)}`);
}

function buildFooter(command: Command): HelpSection {
  const topics = listTopics(command).map((topic) => joinUnbroken(`ttctl help ${topic}`));
  return createProse(
    'Every command also accepts --profile, --workspace, --output, --columns, --query, --dry-run, --yes, --debug and others: see ttctl --help.',
    `See also: ${topics.join(', ')}`,
  );
}

/** Topics that go on where the help of this command ends. */
function listTopics(command: Command): readonly string[] {
  return [
    ...(hasFlag(command, 'from-file') ? ['bulk'] : []),
    ...(hasFlag(command, 'timezone') ? ['dates'] : []),
    'output',
    'exit-codes',
  ];
}

const OWN = 'Flags';

/** From what a command is about to what is rarely needed; headings that are not here stand between. */
const ORDER = ['Targets', OWN, FILTERS, '', 'Input', 'Paging', 'Dates', RAW];

export function buildFlagSections({ flags }: Command): readonly HelpSection[] {
  const groups = new Map<string, Flag[]>();
  for (const flag of flags) {
    const { group = OWN } = flag;
    groups.set(group, [...(groups.get(group) ?? []), flag]);
  }
  return [...groups]
    .sort(([one], [other]) => getRank(one) - getRank(other))
    .map(([group, own]) => createSection(group, { entries: listFlagEntries(own) }));
}

function getRank(heading: string): number {
  const rank = ORDER.indexOf(heading);
  return rank < 0 ? ORDER.indexOf('') : rank;
}

/** `get <member>` */
export function formatCommandTerm({ name, positionals }: Command): string {
  return [name, ...positionals.map(formatPositionalTerm)].join(' ');
}

export function buildArgumentSections({ positionals }: Command): readonly HelpSection[] {
  if (positionals.length === 0) return [];
  const entries = positionals.map((one: Positional): HelpEntry => [formatPositionalTerm(one), one.about]);
  return [createSection('Arguments', { entries })];
}

/** `ttctl members list --help` */
export function formatHelpCommand({ path }: CommandInfo): string {
  return path === '' ? 'ttctl --help' : `ttctl ${path} --help`;
}

/** `ttctl timesheets reject [id...] --reason <reason> [flags]` */
export function formatUsage(node: CommandNode): string {
  if (isGroup(node)) return `ttctl ${node.path} <command> [flags]`;
  const needed = node.flags.filter((flag) => isRequired(flag) && flag.group !== FILTERS).map(formatFlagTerm);
  const words = node.positionals.map(formatPositionalTerm);
  return ['ttctl', node.path, ...words, ...needed, '[flags]'].join(' ');
}
