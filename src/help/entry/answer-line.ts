import { type CommandNode, type Group, isGroup } from '../../cli/command.ts';
import type { UnresolvedLine } from '../../cli/commander.ts';
import { isScopeAlone } from '../../cli/global-flags.ts';
import { loadProgram, ROOT } from '../../cli/registry.ts';
import { isColoured } from '../../config/environment.ts';
import { type Failure, UsageError } from '../../errors.ts';
import type { Sink } from '../../output/sink.ts';
import type { Machine } from '../../platform/machine.ts';
import { buildCommandPage, buildCommandsSection } from '../command-page.ts';
import { formatHelpCommand } from '../flags.ts';
import { type HelpPage, toSentence } from '../page.ts';
import { buildHelpPage, buildRootPage, buildShortRootPage, buildTopicsPage } from '../root-page.ts';
import { chooseWidth, renderHelpText } from '../text.ts';
import { analyseLine } from '../walk.ts';

/** What is answered beside the commands: help, the version, and what is wrong with a line. Reads no settings. */

export interface RawCommandLine {
  /** The words, `help members` written as `members --help`. */
  readonly args: readonly string[];
  readonly errorsAsJson: boolean;
  readonly versionAsJson: boolean;
  readonly machine: Machine;
}

const renderPage = (page: HelpPage, stream: Sink, { args, machine }: RawCommandLine): string => {
  const flag = args.includes('--no-color') ? false : undefined;
  const bold = isColoured(stream, { flag, env: machine.env });
  return renderHelpText(page, { width: chooseWidth(machine.width), bold });
};

const buildPage = (node: CommandNode, { machine }: RawCommandLine): HelpPage =>
  node === ROOT ? buildRootPage(machine.addresses) : buildCommandPage(node);

const buildShortPage = (group: Group): HelpPage =>
  group === ROOT
    ? buildShortRootPage()
    : { lead: toSentence(group.about), sections: [buildCommandsSection(group)] };

const loadTopicPage = async (word: string): Promise<HelpPage | undefined> => {
  if (word === 'help') return buildHelpPage();
  if (word === 'topics') return buildTopicsPage();
  const { TOPICS } = await import('../topics.ts');
  const topic = TOPICS.find(({ name }) => name === word);
  return topic?.load();
};

/** Of a topic, else of the command that is named, whatever else is wrong with the line. @throws UsageError */
const findPage = async (line: RawCommandLine): Promise<HelpPage> => {
  const walk = await analyseLine(line.args);
  const { command, unknownCommand } = walk;
  if (unknownCommand === undefined) return buildPage(command, line);
  const topic = command === ROOT ? await loadTopicPage(unknownCommand) : undefined;
  if (topic !== undefined) return topic;
  const { findMistakes } = await import('../mistakes.ts');
  const [mistake] = findMistakes(walk, await loadProgram());
  throw new UsageError(mistake?.what ?? '', { hint: mistake?.hint });
};

/**
 * Prints the help that a line asks for.
 * @throws UsageError for a command or topic that there is not
 */
export const printHelp = async (line: RawCommandLine): Promise<void> => {
  const { stdout } = line.machine;
  await stdout.write(renderPage(await findPage(line), stdout, line));
};

/** The commands there are, where no more was asked for. */
export const printCommands = async (line: RawCommandLine): Promise<void> => {
  const { stdout } = line.machine;
  await stdout.write(renderPage(buildShortRootPage(), stdout, line));
};

const printVersion = async ({ versionAsJson, machine }: RawCommandLine): Promise<void> => {
  if (!versionAsJson) return machine.stdout.write(`ttctl ${machine.version}\n`);
  const { getVersionInfo } = await import('../../version.ts');
  await machine.stdout.write(`${JSON.stringify(getVersionInfo(machine), null, 2)}\n`);
};

/** A noun alone, or the program alone: what there is, on stderr, since no data was asked for. */
const createNoCommandError = async (group: Group, line: RawCommandLine): Promise<Failure> => {
  const { stderr } = line.machine;
  if (!line.errorsAsJson) await stderr.write(`${renderPage(buildShortPage(group), stderr, line)}\n`);
  return new UsageError('no command given', { hint: `Run ${formatHelpCommand(group)} for all commands.` });
};

/** `sandbox clock help set`, `--profile sandbox help bulk`: the word stands where a command could. */
const findGroupHelp = async (line: RawCommandLine): Promise<HelpPage | undefined> => {
  const { unknownCommand } = await analyseLine(line.args);
  if (unknownCommand !== 'help') return undefined;
  const at = line.args.indexOf('help');
  return findPage({ ...line, args: line.args.filter((_, index) => index !== at) });
};

/** `--profile sandbox version`: likewise. */
const asksVersion = async (line: RawCommandLine): Promise<boolean> => {
  const { command, unknownCommand } = await analyseLine(line.args);
  return command === ROOT && unknownCommand === 'version';
};

const answerRefused = async (refused: UnresolvedLine, line: RawCommandLine): Promise<unknown> => {
  const { stdout } = line.machine;
  const { why, node, message } = refused;
  if (why === 'version') return printVersion(line);
  if (why === 'help') return stdout.write(renderPage(buildPage(node, line), stdout, line));
  if (isScopeAlone(line.args)) return printHelp(line);
  if (why === 'group' && isGroup(node)) return createNoCommandError(node, line);
  if (await asksVersion(line)) return printVersion(line);
  const helped = await findGroupHelp(line);
  if (helped !== undefined) return stdout.write(renderPage(helped, stdout, line));
  const { findUsageError } = await import('./usage-error.ts');
  return (
    (await findUsageError(line.args, line.machine)) ??
    new UsageError(message, { hint: 'Run ttctl --help for all commands.' })
  );
};

/**
 * What a line that leads to no command ends with: help or the version is printed, anything else is wrong usage.
 * @returns the failure; `undefined` when all is said
 */
export const answerWithoutCommand = (refused: UnresolvedLine, line: RawCommandLine): Promise<unknown> =>
  answerRefused(refused, line).catch((fault: unknown) => fault);
