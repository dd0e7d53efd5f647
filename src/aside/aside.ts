import { type Group, isGroup, type Node } from '../cli/command.ts';
import type { RefusedLine } from '../cli/invocation.ts';
import { ROOT, wholeProgram } from '../cli/registry.ts';
import { colourFor } from '../config/colour.ts';
import { commandPage, commandsSection } from '../help/command-page.ts';
import { helpLine } from '../help/flags.ts';
import { type Page, sentence } from '../help/page.ts';
import { helpPage, rootPage, shortRootPage, topicsPage } from '../help/root-page.ts';
import { textOf, widthFor } from '../help/text.ts';
import { walkThrough } from '../help/walk.ts';
import type { Machine } from '../host/machine.ts';
import { type Failure, UsageError } from '../outcome.ts';
import type { Sink } from '../terminal/sink.ts';

/** What is answered beside the commands: help, the version, and what is wrong with a line. Reads no settings. */

export interface Line {
  /** The words, `help members` written as `members --help`. */
  readonly args: readonly string[];
  readonly errorsAsJson: boolean;
  readonly versionAsJson: boolean;
  readonly machine: Machine;
}

const rendered = (page: Page, stream: Sink, { args, machine }: Line): string => {
  const flag = args.includes('--no-color') ? false : undefined;
  const bold = colourFor(stream, { flag, env: machine.env });
  return textOf(page, { width: widthFor(machine.width), bold });
};

const pageOf = (node: Node, { machine }: Line): Page =>
  node === ROOT ? rootPage(machine.addresses) : commandPage(node);

const shortPageOf = (group: Group): Page =>
  group === ROOT ? shortRootPage() : { lead: sentence(group.about), sections: [commandsSection(group)] };

const topicPage = async (word: string): Promise<Page | undefined> => {
  if (word === 'help') return helpPage();
  if (word === 'topics') return topicsPage();
  const { TOPICS } = await import('../help/topics.ts');
  const topic = TOPICS.find(({ name }) => name === word);
  return topic?.load();
};

/** Of a topic, else of the command that is named, whatever else is wrong with the line. @throws UsageError */
const pageFor = async (line: Line): Promise<Page> => {
  const walk = await walkThrough(line.args);
  const { command, unknownCommand } = walk;
  if (unknownCommand === undefined) return pageOf(command, line);
  const topic = command === ROOT ? await topicPage(unknownCommand) : undefined;
  if (topic !== undefined) return topic;
  const { mistakesIn } = await import('../help/mistakes.ts');
  const [mistake] = mistakesIn(walk, await wholeProgram());
  throw new UsageError(mistake?.what ?? '', { hint: mistake?.hint });
};

/**
 * Prints the help that a line asks for.
 * @throws UsageError for a command or topic that there is not
 */
export const help = async (line: Line): Promise<void> => {
  const { stdout } = line.machine;
  await stdout.write(rendered(await pageFor(line), stdout, line));
};

const printVersion = async ({ versionAsJson, machine }: Line): Promise<void> => {
  if (!versionAsJson) return machine.stdout.write(`ttctl ${machine.version}\n`);
  const { versionFacts } = await import('../version.ts');
  await machine.stdout.write(`${JSON.stringify(versionFacts(machine), null, 2)}\n`);
};

/** A noun alone, or the program alone: what there is, on stderr, since no data was asked for. */
const nothingNamed = async (group: Group, line: Line): Promise<Failure> => {
  const { stderr } = line.machine;
  if (!line.errorsAsJson) await stderr.write(`${rendered(shortPageOf(group), stderr, line)}\n`);
  return new UsageError('no command given', { hint: `Run ${helpLine(group)} for all commands.` });
};

/** `sandbox clock help set`, `--profile sandbox help bulk`: the word stands where a command could. */
const helpInGroup = async (line: Line): Promise<Page | undefined> => {
  const { unknownCommand } = await walkThrough(line.args);
  if (unknownCommand !== 'help') return undefined;
  const at = line.args.indexOf('help');
  return pageFor({ ...line, args: line.args.filter((_, index) => index !== at) });
};

/** `--profile sandbox version`: likewise. */
const asksVersion = async (line: Line): Promise<boolean> => {
  const { command, unknownCommand } = await walkThrough(line.args);
  return command === ROOT && unknownCommand === 'version';
};

const settled = async (refused: RefusedLine, line: Line): Promise<unknown> => {
  const { stdout } = line.machine;
  const { why, node, message } = refused;
  if (why === 'version') return printVersion(line);
  if (why === 'help') return stdout.write(rendered(pageOf(node, line), stdout, line));
  if (why === 'group' && isGroup(node)) return nothingNamed(node, line);
  if (await asksVersion(line)) return printVersion(line);
  const helped = await helpInGroup(line);
  if (helped !== undefined) return stdout.write(rendered(helped, stdout, line));
  const { usageFailure } = await import('./usage.ts');
  return (
    (await usageFailure(line.args, line.machine)) ??
    new UsageError(message, { hint: 'Run ttctl --help for all commands.' })
  );
};

/**
 * What a line that leads to no command ends with: help or the version is printed, anything else is wrong usage.
 * @returns the failure; `undefined` when all is said
 */
export const settle = (refused: RefusedLine, line: Line): Promise<unknown> =>
  settled(refused, line).catch((fault: unknown) => fault);
