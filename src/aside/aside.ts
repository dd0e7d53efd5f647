import type { Command, CommanderError } from 'commander';
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
  /** The program, its nouns not yet filled. */
  readonly program: () => Command;
  /** Fills a noun with its commands. */
  readonly fill: (noun: Command) => Promise<void>;
  /** The program with every noun filled. */
  readonly whole: () => Promise<Command>;
  readonly machine: Machine;
}

const rendered = (page: Page, stream: Sink, { args, machine }: Line): string => {
  const flag = args.includes('--no-color') ? false : undefined;
  const bold = colourFor(stream, { flag, env: machine.env });
  return textOf(page, { width: widthFor(machine.width), bold });
};

const pageOf = (command: Command, { machine }: Line): Page =>
  command.parent === null ? rootPage(command, machine.addresses) : commandPage(command);

const shortPageOf = (command: Command): Page =>
  command.parent === null
    ? shortRootPage(command)
    : { lead: sentence(command.description()), sections: [commandsSection(command)] };

const topicPage = async (word: string): Promise<Page | undefined> => {
  if (word === 'help') return helpPage();
  if (word === 'topics') return topicsPage();
  const { TOPICS } = await import('../help/topics.ts');
  const topic = TOPICS.find(({ name }) => name === word);
  return topic && (await topic.load())();
};

/** Of a topic, else of the command that is named, whatever else is wrong with the line. @throws UsageError */
const pageFor = async (line: Line): Promise<Page> => {
  const { args, fill, whole } = line;
  const program = line.program();
  const walk = await walkThrough(program, args, fill);
  const { command, unknownCommand } = walk;
  if (unknownCommand === undefined) return pageOf(command, line);
  const topic = command === program ? await topicPage(unknownCommand) : undefined;
  if (topic !== undefined) return topic;
  const { mistakesIn } = await import('../help/mistakes.ts');
  const [mistake] = mistakesIn(walk, await whole());
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
const nothingNamed = async (command: Command, line: Line): Promise<Failure> => {
  const { stderr } = line.machine;
  if (!line.errorsAsJson) await stderr.write(`${rendered(shortPageOf(command), stderr, line)}\n`);
  return new UsageError('no command named', { hint: `See more: ${helpLine(command)}` });
};

/** `sandbox clock help set`, `--profile sandbox help bulk`: the word stands where a command could. */
const helpInGroup = async (line: Line): Promise<Page | undefined> => {
  const { unknownCommand } = await walkThrough(line.program(), line.args, line.fill);
  if (unknownCommand !== 'help') return undefined;
  const at = line.args.indexOf('help');
  return pageFor({ ...line, args: line.args.filter((_, index) => index !== at) });
};

/** `--profile sandbox version`: likewise. */
const asksVersion = async (line: Line): Promise<boolean> => {
  const { command, unknownCommand } = await walkThrough(line.program(), line.args, line.fill);
  return command.parent === null && unknownCommand === 'version';
};

const settled = async (error: CommanderError, line: Line, asked: Command | undefined): Promise<unknown> => {
  const { machine } = line;
  if (error.code === 'commander.version') return printVersion(line);
  if (asked !== undefined && error.exitCode === 0)
    return machine.stdout.write(rendered(pageOf(asked, line), machine.stdout, line));
  if (asked !== undefined) return nothingNamed(asked, line);
  if (await asksVersion(line)) return printVersion(line);
  const helped = await helpInGroup(line);
  if (helped !== undefined) return machine.stdout.write(rendered(helped, machine.stdout, line));
  const { usageFailure } = await import('./usage.ts');
  return (
    (await usageFailure(line)) ??
    new UsageError(error.message.replace(/^error: /, ''), { hint: 'See what there is: ttctl --help' })
  );
};

/**
 * What commander ended with: help or the version is printed, anything else is wrong usage.
 * @param asked whose help commander wanted to show
 * @returns the failure; `undefined` when all is said
 */
export const settle = (error: CommanderError, line: Line, asked: Command | undefined): Promise<unknown> =>
  settled(error, line, asked).catch((fault: unknown) => fault);
