import { checkRequired, type Values } from '../api/plan.ts';
import { checkAllQuery } from '../commands/filters.ts';
import { choosesRows, Rows } from '../commands/rows.ts';
import { type RawParameters, resolveValues, throwProblems, toExtra } from '../commands/values.ts';
import { openRecordMemory } from '../completion/record-memory.ts';
import type { Directories } from '../config/environment.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsStore } from '../config/store.ts';
import type { Context } from '../context.ts';
import { collectProblems, type UsageError } from '../errors.ts';
import { lazy } from '../lazy.ts';
import { createProgressIndicator } from '../output/progress.ts';
import { type EventLog, RunRequests } from '../platform/log.ts';
import type { Machine } from '../platform/machine.ts';
import { PromptSession } from '../prompts/session.ts';
import { Run } from '../run.ts';
import { createFlagNamer, createRepeatError, getZoneFlag, type Invocation } from './flag.ts';
import { openOutput, openProgress, openPrompter } from './output.ts';
import {
  findFileProblems,
  openSettings,
  readSystemZone,
  readWindow,
  resolveZone,
  warnBadSettings,
} from './settings.ts';

/** Builds the context of one command: what it is handed, each part made when it is first used. */

export interface OpenedContext {
  readonly context: Context;
  readonly log: EventLog | undefined;
  /** The values of the command's flags, checked and looked up; `undefined` where all has been said already. */
  values(): Promise<Record<string, unknown> | undefined>;
  /** Asks for what the command line leaves out. @throws UnresolvedLine where nobody can be asked for a positional */
  promptForMissing(): Promise<void>;
  /** At the end of the run, which `error` ended: the command line that would have asked nothing. */
  reportPrompts(error?: unknown): void;
  close(): Promise<void>;
}

/**
 * Opens the context of a command. Settings are read here; everything else is made when it is first used.
 * @throws UsageError for a bad flag, variable or settings file
 */
export const openContext = async (
  invocation: Invocation,
  machine: Machine,
  directories: Directories,
  exit: (code: number) => void,
  args: readonly string[],
): Promise<OpenedContext> => {
  // Settings are read before there is an output to warn with.
  const mendedWarnings: string[] = [];
  let warnMended = (text: string): unknown => mendedWarnings.push(text);
  const settingsFile = directories.config && `${directories.config}/settings.json`;
  const store = new SettingsStore(settingsFile, machine.clock, (text) => warnMended(text));
  const { command, options } = invocation;
  const { operation } = command;
  const problems: UsageError[] = invocation.repeated.map(createRepeatError);
  const attempt = <T>(work: () => T): T | undefined => collectProblems(problems, work);
  const { flags, settings, wrong: settingsProblems } = openSettings(invocation, machine.env, store, problems);
  attempt(() => checkAllQuery(invocation, settings));
  const zone = attempt(() => getZoneFlag(invocation));
  const { limit, window } = readWindow(
    invocation,
    settings.sort !== undefined || (operation !== undefined && choosesRows(options)),
    attempt,
  );
  // What a value is read as is told when there is something to tell it with; it is read more than once.
  const toldOfTimes = new Map<string, 'note' | 'warn'>();
  let tellOfTime = (text: string, as: 'note' | 'warn'): unknown => toldOfTimes.set(text, as);
  const timeZone = lazy(() =>
    resolveZone(zone, settings, store.file, () =>
      readSystemZone(machine.env.TZ, {
        note: (text) => tellOfTime(text, 'note'),
        warn: (text) => tellOfTime(text, 'warn'),
      }),
    ),
  );
  const calendar = {
    now: machine.clock.now(),
    timeZone,
    note: (text: string) => void tellOfTime(text, 'note'),
  };
  const fileProblems = await findFileProblems(invocation, settings);
  throwProblems(invocation, calendar, [...problems, ...fileProblems]);
  machine.exitNotices.json = settings.output.value.errorsAsJson;
  const progress = openProgress(machine, settings);
  const watch = createProgressIndicator(progress, machine.clock);
  const shown = { invocation, flags, progress, watch, limit, timeZone, rows: () => rows };
  const output = await openOutput(machine, settings, shown);
  const { note, warn } = output;
  warnMended = warn;
  mendedWarnings.forEach(warn);
  for (const [text, as] of toldOfTimes) output[as](text);
  tellOfTime = (text, as) => {
    if (!toldOfTimes.has(text)) output[as](text);
    toldOfTimes.set(text, as);
  };
  if (command.settings === 'mended') warnBadSettings(warn, settingsProblems);
  const { onReply, save } = openRecordMemory(machine, settings, directories);
  const prompter = openPrompter(machine, settings, { output, watch });
  const prompts = new PromptSession({ invocation, machine, settings, prompter, args });
  const requests = new RunRequests({ machine, settings, watch, args });
  const raws = await readRaws(invocation, settings, machine);
  const run = new Run({
    machine,
    directories,
    settings,
    settingsStore: store,
    settingsProblems,
    invocation,
    calendar,
    raws,
    window,
    output,
    prompter,
    answers: prompts.answers,
    picked: prompts.picked,
    watch,
    requests,
    timeZone,
    pickWorkspace: (api) => prompts.pickWorkspace(api),
    onReply,
    exit,
    args,
  });
  const rows = await Rows.open(run);
  run.choose = rows.choose;
  const extra = toExtra(raws);
  const checkComplete = (given: Values, flagOf: (parameter: string) => string): void => {
    if (operation !== undefined) checkRequired(operation, given, { extra, flagOf });
  };
  const values = async () => {
    if (options.template === true) {
      const { formatTemplate } = await import('../changes/input/columns.ts');
      await output.text(formatTemplate(command));
      return undefined;
    }
    // The rows of a file are completed by what the flags say; until they are, names stay as they are.
    const alone = options.fromFile === undefined;
    const resolved = await resolveValues(invocation, {
      calendar,
      lookUp: async (kind, text) => (alone ? run.lookUps.find(kind, text) : text),
      requireParameters: (given) => (alone ? checkComplete(given, createFlagNamer(command)) : undefined),
    });
    return rows.takeMembers(resolved);
  };
  return {
    context: run,
    log: requests.log,
    values,
    promptForMissing: () => prompts.ask(run, calendar, extra),
    reportPrompts: (error) => prompts.report(note, error),
    async close() {
      await run.close();
      await save();
    },
  };
};

/** Options of raw values, by their keys; `typedField` is that of `api`. */
const RAW_OPTIONS = ['param', 'field', 'typedField'];

const NO_RAWS: RawParameters = { query: [], fields: {}, input: undefined };

async function readRaws(
  invocation: Invocation,
  settings: Settings,
  machine: Machine,
): Promise<RawParameters> {
  const { options } = invocation;
  // `--no-input` is a flag of every command, and no text.
  if (typeof options.input !== 'string' && RAW_OPTIONS.every((name) => options[name] === undefined))
    return NO_RAWS;
  const { readRawParameters } = await import('../changes/input/raw.ts');
  return readRawParameters(invocation, settings.workspace?.from === 'flag', machine);
}
