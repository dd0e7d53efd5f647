import type { Operation } from '../api/operation.ts';
import { type Command, type CommandNode, isGroup, listCommands } from '../cli/command.ts';
import {
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
import { formatFlags, type HelpEntry, type HelpPage, toSentence, writeEntries } from './page.ts';

/** The help of a command, and of a noun: one line, usage, examples, flags, then what it sends, prints and ends with. */

/** Who may carry an operation out (docs/service.md, Roles), in words. */
const ROLE_WORDS: Readonly<Record<Operation['roles'], string>> = {
  any: '',
  managers: ' Owners and Executive Managers only.',
  'task-writers': ' Owners, Executive Managers, Project Managers and Team Managers only.',
};

/** From what a command is about to what is rarely needed; headings that are not here stand between. */
const ORDER = ['Targets', 'Flags', FILTERS, '', 'Input', 'Paging', 'Dates', RAW];

/** A group that holds groups shows the commands that can be typed. */
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
  const sorted = [...flags].sort((one, other) => getRank(one) - getRank(other));
  const groups = [...new Set(sorted.map(({ group = 'Flags' }) => group))].map(
    (heading) => `# ${heading}\n${formatFlags(flags.filter(({ group = 'Flags' }) => group === heading))}`,
  );
  // No line is broken within one of them.
  const exits = listExitCodes(node).map((code) => {
    // `signedOut` is `signed out`.
    const [name = ''] = Object.entries(EXIT).find(([, one]) => one === code) ?? [];
    return `${code}\u00a0${name.replace(/[A-Z]/g, (letter) => `\u00a0${letter.toLowerCase()}`)}`;
  });
  const topics = [...(hasFlag(node, 'from-file') ? ['bulk'] : []), 'output', 'exit-codes'];
  return [
    ...[
      lead,
      `# Usage\n$ ${usage}`,
      writeSection(
        'Examples',
        examples.map((line) => `$ ${line}`),
      ),
    ],
    ...more.map(({ title, text, commands = [] }) =>
      writeSection(title, [...(text?.split('\n') ?? []), ...commands.map((line) => `$ ${line}`)]),
    ),
    writeCommands(node),
    writeSection('Arguments', [writeEntries(terms)]),
    ...groups,
    ...[formatOutput(node), ...describeOperation(node), `Exit codes: ${exits.join(', ')}.`],
    `Every command also accepts --profile, --workspace, --output, --columns, --query, --dry-run, --yes, --debug and others: see ttctl --help.\nSee also: ${topics.map((topic) => `ttctl\u00a0help\u00a0${topic}`).join(', ')}`,
  ];
}

/** Empty without lines. */
function writeSection(title: string, lines: readonly string[]): string {
  const text = lines.filter(Boolean).join('\n');
  return text && `# ${title}\n${text}`;
}

function formatOutput(command: Command): string {
  const output = describeOutput(command);
  if (output === undefined) return '';
  const { shape, about = '', record, named, flagged, groups, rows } = output;
  const fields = `Fields: ${(output.fields ?? []).join(', ')}.`;
  const own = (many: string) => (record === undefined ? '' : `, as the service sent ${many}`);
  const words = {
    text: toSentence(about),
    document: toSentence(`${about}, as JSON`),
    results: `With --output json: an array of results, one per target in the given order. ${fields}`,
    result: `With --output json: one result. ${fields}`,
    list: `With --output json: an array of records${own('them')}. ${fields}`,
    record: `With --output json: one record${own('it')}. ${fields}`,
  }[shape];
  const text = [
    words,
    named && `For a named one: one record. Fields: ${named.join(', ')}.`,
    flagged && `With ${flagged.flag}: one record. Fields: ${flagged.fields.join(', ')}.`,
    groups && 'With --group-by: an array of groups.',
    rows && 'With --from-file: an array of results.',
  ];
  return `# Output\n${text.filter(Boolean).join(' ')}`;
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
