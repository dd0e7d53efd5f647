import type { Operation } from '../api/operation.ts';
import { type Command, type CommandNode, isGroup, listCommands } from '../cli/command.ts';
import {
  type CommandInfo,
  FILTERS,
  type Flag,
  formatFlagTerm,
  formatPositionalTerm,
  hasFlag,
  isRequired,
  RAW,
} from '../cli/flag.ts';
import { describeOutput, listExitCodes } from '../commands/outputs.ts';
import { EXIT } from '../errors.ts';
import { type HelpEntry, type HelpPage, parsePage, toSentence, writeEntries } from './page.ts';
import { formatFlags } from './root-page.ts';

/** The help of a command, and of a noun: one line, usage, examples, flags, then what it sends, prints and ends with. */

/** `signedOut` → `signed out` */
const EXIT_NAMES = new Map<number, string>(
  Object.entries(EXIT).map(([name, code]) => [
    code,
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  ]),
);

/** Who may carry an operation out (docs/service.md, Roles), in words. */
const ROLE_WORDS: Readonly<Record<Operation['roles'], string>> = {
  any: '',
  managers: ' Owners and Executive Managers only.',
  'task-writers': ' Owners, Executive Managers, Project Managers and Team Managers only.',
};

/** From what a command is about to what is rarely needed; headings that are not here stand between. */
const ORDER = ['Targets', 'Flags', FILTERS, '', 'Input', 'Paging', 'Dates', RAW];

function joinUnbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

/** A group that holds groups shows the commands that can be typed. */
export function writeCommands(node: CommandNode): string {
  const entries = (node.commands ?? []).flatMap(listCommands).map((leaf): HelpEntry => {
    const between = leaf.path.slice(node.path.length, -leaf.name.length).trim();
    const term = [between, leaf.name, ...leaf.positionals.map(formatPositionalTerm)].join(' ');
    return [term.trim(), leaf.about];
  });
  return entries.length === 0 ? '' : `# Commands\n${writeEntries(entries)}`;
}

function writeLines(title: string, commands: readonly string[]): string {
  return commands.length === 0 ? '' : [`# ${title}`, ...commands.map((line) => `$ ${line}`)].join('\n');
}

export function buildCommandPage(node: CommandNode): HelpPage {
  const lead = toSentence(node.about);
  if (isGroup(node)) {
    const { aliases, path } = node;
    return parsePage([
      ...[lead, writeLines('Usage', [`ttctl ${path} <command> [flags]`]), writeCommands(node)],
      aliases.length === 0 ? '' : `Also called: ${aliases.join(', ')}.`,
      `For flags and examples: ttctl ${path} <command> --help`,
    ]);
  }
  const { examples, more = [], positionals, flags, path } = node;
  const needed = flags.filter((flag) => isRequired(flag) && flag.group !== FILTERS).map(formatFlagTerm);
  const usage = ['ttctl', path, ...positionals.map(formatPositionalTerm), ...needed, '[flags]'].join(' ');
  const terms = positionals.map((one): HelpEntry => [formatPositionalTerm(one), one.about]);
  const groups = new Map<string, Flag[]>();
  for (const flag of flags)
    groups.set(flag.group ?? 'Flags', [...(groups.get(flag.group ?? 'Flags') ?? []), flag]);
  const getRank = (heading: string): number => ORDER.indexOf(ORDER.includes(heading) ? heading : '');
  const exits = listExitCodes(node).map((code) => joinUnbroken(`${code} ${EXIT_NAMES.get(code)}`));
  const topics = [...(hasFlag(node, 'from-file') ? ['bulk'] : []), ...['output', 'exit-codes']].map((topic) =>
    joinUnbroken(`ttctl help ${topic}`),
  );
  return parsePage([
    ...[lead, writeLines('Usage', [usage]), writeLines('Examples', examples)],
    ...more.map(({ title, text, entries, commands = [] }) =>
      text === undefined && entries === undefined
        ? writeLines(title, commands)
        : `# ${title}\n${text ?? writeEntries(entries ?? [])}`,
    ),
    writeCommands(node),
    terms.length === 0 ? '' : `# Arguments\n${writeEntries(terms)}`,
    ...[...groups]
      .sort(([one], [other]) => getRank(one) - getRank(other))
      .map(([heading, own]) => `# ${heading}\n${formatFlags(own)}`),
    ...[formatOutput(node), ...describeOperation(node), `Exit codes: ${exits.join(', ')}.`],
    `Every command also accepts --profile, --workspace, --output, --columns, --query, --dry-run, --yes, --debug and others: see ttctl --help.\nSee also: ${topics.join(', ')}`,
  ]);
}

function formatOutput(command: Command): string {
  const output = describeOutput(command);
  if (output === undefined) return '';
  const { shape, about, record, named, flagged, groups, rows } = output;
  const fields = (output.fields ?? []).join(', ');
  const own = (many: string) => (record === undefined ? '' : `, as the service sent ${many}`);
  const words = {
    text: toSentence(`${about}`),
    document: toSentence(`${about}, as JSON`),
    results: `With --output json: an array, one result per target in the given order, with ${fields}.`,
    result: `With --output json: one result, with ${fields}.`,
    list: `With --output json: an array of records${own('them')}. Fields: ${fields}.`,
    record: `With --output json: one record${own('it')}. Fields: ${fields}.`,
  }[shape];
  const text = [
    words,
    ...(named === undefined ? [] : [`For a named one: one record. Fields: ${named.join(', ')}.`]),
    ...(flagged === undefined
      ? []
      : [`With ${flagged.flag}: one record. Fields: ${flagged.fields.join(', ')}.`]),
    ...(groups === true ? ['With --group-by: an array of groups.'] : []),
    ...(rows === true ? ['With --from-file: an array of results.'] : []),
  ].join(' ');
  return `# Output\n${text}`;
}

/** What is sent, and how a write is taken back, or why it cannot be. */
function describeOperation({ operation }: Command): readonly string[] {
  if (operation === undefined) return [];
  const { route, scope, roles, undo } = operation;
  const sends = `Sends ${route} (${scope === 'write' ? 'writes' : 'reads'}; scope: ${scope}).${ROLE_WORDS[roles]}`;
  if (undo === undefined) return [sends];
  if (undo.kind === 'none') return [sends, `Cannot be undone: ${undo.why}.`];
  if (undo.kind === 'values') return [sends, 'Undo: ttctl undo restores the old values.'];
  const what = undo.kind === 'opposite' ? 'makes the opposite change' : 'removes the new record';
  return [sends, `Undo: ttctl undo ${what} (${undo.by.replace('.', ' ')}).`];
}

/** `ttctl members list --help` */
export function formatHelpCommand({ path }: CommandInfo): string {
  return path === '' ? 'ttctl --help' : `ttctl ${path} --help`;
}
