import { ROLE_WORDS } from '../api/role-words.ts';
import { type Command, type Group, hasFlag, isGroup, leavesOf, type Node } from '../cli/command.ts';
import { type Answer, answerOf, exitsOf } from '../commands/answers.ts';
import { EXIT, type ExitCode } from '../outcome.ts';
import { argumentSections, commandTerm, flagSections, usageOf } from './flags.ts';
import { type Entry, type Page, prose, type Section, sentence, titled, together } from './page.ts';

/** The help of a command, and of a noun: one line, usage, examples, flags, then what it sends, prints and ends with. */

/** `signedOut` → `signed out` */
const EXIT_NAMES = new Map<number, string>(
  Object.entries(EXIT).map(([name, code]) => [
    code,
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  ]),
);

const exitWords = (codes: readonly ExitCode[]): string =>
  codes.map((code) => together(`${code} ${EXIT_NAMES.get(code)}`)).join(', ');

const protocol = (command: Command): readonly string[] => {
  const { operation } = command;
  if (operation === undefined) return [];
  const { route, scope, roles } = operation;
  const effect = scope === 'write' ? 'writes' : 'reads';
  const who = roles === 'any' ? '' : ` ${ROLE_WORDS[roles]} only.`;
  return [`Sends ${route} (${effect}; scope: ${scope}).${who}`];
};

const listed = ({ fields = [] }: Answer): string => fields.join(', ');

const shapeWords = (answer: Answer): string => {
  const { shape, about, record } = answer;
  if (shape === 'text') return sentence(`${about}`);
  if (shape === 'document') return sentence(`${about}, as JSON in any format`);
  if (shape === 'results') {
    return `With --output json: an array, one result per target in the given order, with ${listed(answer)}.`;
  }
  if (shape === 'result') return `With --output json: one result, with ${listed(answer)}.`;
  const own = record === undefined ? '' : `, as the service sent ${shape === 'list' ? 'them' : 'it'}`;
  return `With --output json: ${shape === 'list' ? 'an array of records' : 'one record'}${own}. Fields: ${listed(answer)}.`;
};

const outputWords = (command: Command): readonly string[] => {
  const answer = answerOf(command);
  if (answer === undefined) return [];
  const rows = answer.rows === true ? ' With --from-file: an array of results.' : '';
  const named =
    answer.named === undefined ? '' : ` For a named one: one record. Fields: ${answer.named.join(', ')}.`;
  const groups = answer.groups === true ? ' With --group-by: an array of groups.' : '';
  return [shapeWords(answer) + named + groups + rows];
};

/** Topics that go on where the help of this command ends. */
const topicsOf = (command: Command): readonly string[] => [
  ...(hasFlag(command, 'from-file') ? ['bulk'] : []),
  ...(hasFlag(command, 'timezone') ? ['dates'] : []),
  'output',
  'exit-codes',
];

const footer = (command: Command): Section => {
  const topics = topicsOf(command).map((topic) => together(`ttctl help ${topic}`));
  return prose(
    'Every command also accepts --profile, --workspace, --output, --columns, --query, --dry-run, --yes, --debug and others: see ttctl --help.',
    `See also: ${topics.join(', ')}`,
  );
};

const leafPage = (command: Command): Page => {
  const { examples, more = [], about } = command;
  return {
    lead: sentence(about),
    sections: [
      titled('Usage', { commands: [usageOf(command)] }),
      ...(examples.length === 0 ? [] : [titled('Examples', { commands: examples })]),
      ...more.map(({ title, text, commands = [] }) =>
        titled(title, text === undefined ? { commands } : { text }),
      ),
      ...argumentSections(command),
      ...flagSections(command),
      ...outputWords(command).map((text) => titled('Output', { text })),
      ...protocol(command).map((text) => prose(text)),
      prose(`Exit codes: ${exitWords(exitsOf(command))}.`),
      footer(command),
    ],
  };
};

/** The commands of a noun, for its page and for the short help of a noun alone. */
export const commandsSection = (group: Group): Section =>
  titled('Commands', {
    // A group that holds groups shows the commands that can be typed.
    entries: leavesOf(group).map((leaf): Entry => {
      const between = leaf.path.slice(group.path.length, -leaf.name.length).trim();
      return [`${between} ${commandTerm(leaf)}`.trim(), leaf.about];
    }),
  });

const groupPage = (group: Group): Page => {
  const { aliases, path, about } = group;
  return {
    lead: sentence(about),
    sections: [
      titled('Usage', { commands: [usageOf(group)] }),
      commandsSection(group),
      ...(aliases.length === 0 ? [] : [prose(`Also called: ${aliases.join(', ')}.`)]),
      prose(`For flags and examples: ttctl ${path} <command> --help`),
    ],
  };
};

export const commandPage = (node: Node): Page => (isGroup(node) ? groupPage(node) : leafPage(node));
