import type { UnresolvedLine } from '../cli/parse.ts';
import { isScopeAlone, loadProgram } from '../cli/registry.ts';
import { isColoured } from '../config/environment.ts';
import { UsageError } from '../errors.ts';
import type { Sink } from '../output/sink.ts';
import type { Machine } from '../platform/machine.ts';
import { getVersionInfo } from '../version.ts';
import { buildCommandPage, formatHelpCommand, writeCommands } from './command-page.ts';
import { findMistakes, findUsageError, type ReadLine } from './mistakes.ts';
import { chooseWidth, type HelpPage, parsePage, renderHelpText, toSentence } from './page.ts';
import { buildRootPage, buildShortRootPage, TOPICS } from './root-page.ts';
import { TOPIC_PAGES } from './topics.ts';

/** What is answered beside the commands: help, the version, and what is wrong with a line. Reads no settings. */

export interface RawCommandLine {
  /** The words. */
  readonly args: readonly string[];
  readonly errorsAsJson: boolean;
  readonly versionAsJson: boolean;
  readonly machine: Machine;
}

/** The commands there are, where no more was asked for. */
export function printCommands(raw: RawCommandLine): Promise<void> {
  return printPage(buildShortRootPage(), raw);
}

/**
 * What a line that leads to no command ends with: help or the version is printed, anything else is wrong usage.
 * @returns the failure; `undefined` when all is said
 */
export async function answerWithoutCommand(refused: UnresolvedLine, raw: RawCommandLine): Promise<unknown> {
  const { why, line, message } = refused;
  const { machine, errorsAsJson } = raw;
  const { command, unknownCommand } = line;
  const isRoot = command.path === '';
  try {
    if (why === 'version' || (isRoot && unknownCommand === 'version' && !line.help)) {
      const { version, stdout } = machine;
      const info = JSON.stringify(getVersionInfo(machine), null, 2);
      return await stdout.write(`${raw.versionAsJson ? info : `ttctl ${version}`}\n`);
    }
    if (why === 'help' || isScopeAlone(raw.args)) return await printPage(await findPage(line, raw), raw);
    if (why !== 'group') {
      const hint = 'Run ttctl --help for all commands.';
      return findUsageError(line, await loadProgram()) ?? new UsageError(message, { hint });
    }
    // What there is, on stderr, since no data was asked for.
    const page = isRoot
      ? buildShortRootPage()
      : parsePage([toSentence(command.about), writeCommands(command)]);
    if (!errorsAsJson) await printPage(page, raw, machine.stderr, '\n');
    const hint = `Run ${formatHelpCommand(command)} for all commands.`;
    return new UsageError('no command given', { hint });
  } catch (error) {
    return error;
  }
}

/** Of a topic, else of the command that is named, whatever else is wrong with the line. @throws UsageError */
async function findPage(line: ReadLine, { machine }: RawCommandLine): Promise<HelpPage> {
  const { command, unknownCommand } = line;
  const isRoot = command.path === '';
  const isWhole = unknownCommand === undefined || unknownCommand === 'version' || unknownCommand === 'topics';
  if (isRoot && isWhole) return buildRootPage(machine.addresses);
  if (unknownCommand === undefined) return buildCommandPage(command);
  const topic = TOPICS.find(({ name }) => isRoot && name === unknownCommand);
  if (topic !== undefined) return TOPIC_PAGES[topic.name];
  const [mistake] = findMistakes(line, await loadProgram());
  throw new UsageError(mistake?.what ?? '', { hint: mistake?.hint });
}

function printPage(page: HelpPage, raw: RawCommandLine, stream: Sink = raw.machine.stdout, end = '') {
  const { args, machine } = raw;
  const flag = args.includes('--no-color') ? false : undefined;
  const bold = isColoured(stream, { flag, env: machine.env });
  return stream.write(renderHelpText(page, { width: chooseWidth(machine.width), bold }) + end);
}
