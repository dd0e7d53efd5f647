import { sendRaw } from '../api/client.ts';
import { complete, ownWorkspace, type Values } from '../api/plan.ts';
import { flagNames, type Invocation, repeatProblem, zoneOf } from '../cli/invocation.ts';
import { checkAllQuery } from '../commands/all-query.ts';
import { readValues, tellAll } from '../commands/values.ts';
import { commandLineFor } from '../config/command-line.ts';
import type { Directories } from '../config/paths.ts';
import { createSettingsStore } from '../config/store.ts';
import type { Context } from '../context.ts';
import { deafened, type Machine } from '../host/machine.ts';
import { lazy } from '../lazy.ts';
import { attempting, type UsageError } from '../outcome.ts';
import { createWatch } from '../terminal/watch.ts';
import { createInterview } from './asking.ts';
import { agreer, confirmer, createPermit } from './confirm.ts';
import { createNames } from './names.ts';
import { openOutput, openProgress, openPrompter, systemTimeZone } from './output.ts';
import { extraOf, readRaws } from './raws.ts';
import { readText } from './read-text.ts';
import { openMemory } from './remember.ts';
import { reviewsFor } from './reviews.ts';
import { openService, type Parts } from './service.ts';
import { openSettings, storedZone, tellWrong } from './settings.ts';
import { sheetFor, templateFor } from './sheet.ts';
import { readWindow } from './window.ts';

/** Builds the context of one command: what it is handed, each part made when it is first used. */

export interface Opened {
  readonly context: Context;
  /** The values of the command's flags, checked and looked up; `undefined` where all has been said already. */
  values(): Promise<Record<string, unknown> | undefined>;
  /** Asks for what the command line leaves out. @throws RefusedLine where nobody can be asked for a positional */
  ask(): Promise<void>;
  /** At the end of the run, which `error` ended: the command line that would have asked nothing. */
  tell(error?: unknown): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the context of a command. Settings are read here; everything else is made when it is first used.
 * @throws UsageError for a bad flag, variable or settings file
 */
export const openContext = async (
  invocation: Invocation,
  machine: Machine,
  places: Directories,
  exit: (code: number) => void,
  args: readonly string[],
): Promise<Opened> => {
  // Settings are read before there is an output to warn with.
  const mended: string[] = [];
  let warnOfMended = (text: string): unknown => mended.push(text);
  const settingsFile = places.config && `${places.config}/settings.json`;
  const store = createSettingsStore(settingsFile, machine.clock, (text) => warnOfMended(text));
  const { command, options } = invocation;
  const { operation } = command;
  const problems: UsageError[] = invocation.repeated.map(repeatProblem);
  const attempt = attempting(problems);
  const { flags, settings, wrong } = openSettings(invocation, machine.env, store, problems);
  attempt(() => checkAllQuery(invocation, settings));
  const zone = attempt(() => zoneOf(invocation));
  const { limit, window } = readWindow(invocation, settings.sort !== undefined, attempt);
  const timeZone = lazy(() => zone ?? storedZone(settings, store.file) ?? systemTimeZone());
  const calendar = { now: machine.clock.now(), timeZone };
  tellAll(invocation, calendar, problems);
  machine.parting.json = settings.output.value.errorsAsJson;
  const progress = openProgress(machine, settings);
  const watch = createWatch(progress, machine.clock);
  const output = openOutput(machine, settings, { invocation, flags, progress, watch, limit, timeZone });
  await output.prepare();
  const { warn } = output;
  warnOfMended = warn;
  mended.forEach(warn);
  if (command.settings === 'mended') tellWrong(warn, wrong);
  const { seen, keep, watch: watchSignOut } = openMemory(machine, settings, places);
  const credentials = lazy(async () => {
    const { createCredentialStore } = await import('../auth/credentials.ts');
    const file = places.config && `${places.config}/credentials.json`;
    return watchSignOut(createCredentialStore(file, machine.clock, warn));
  });
  const stateFile = places.state && `${places.state}/sandbox/world.json`;
  const limits = places.state && `${places.state}/limits`;
  const prompter = lazy(() => openPrompter(machine, settings, { flags, timeZone, watch }));
  const interview = createInterview({ invocation, machine, settings, prompter, args });
  const { asked, picked, pickWorkspace } = interview;
  const note = (text: string): void => {
    if (!watch.waits(text)) output.note(text);
  };
  const permit = createPermit(settings, prompter, asked);
  const people = { note, warn, permit: permit.once, pickWorkspace, watch };
  const parts: Parts = { machine, settings, credentials, stateFile, limits, seen, timeZone, ...people };
  const raws = await readRaws(invocation, settings.workspace?.from === 'flag', (file) =>
    readText(machine, file),
  );
  const service = openService(invocation, parts, () => raws);
  const afterwards = lazy(
    () => openService(invocation, { ...parts, machine: deafened(machine) }, () => raws).api,
  );
  const { lookUps } = service;
  const agree = agreer(parts, service, prompter, asked);
  const names = lazy(() => createNames(service.api));
  const extra = extraOf(raws);
  const checkComplete = (given: Values, flagOf: (parameter: string) => string): void => {
    if (operation !== undefined) complete(operation, given, { extra, flagOf });
  };
  const sheet = sheetFor(invocation, { machine, lookUps, calendar, complete: checkComplete });
  if (settings.embedded && machine.stderr.isTTY) output.note('Using the sandbox (practice data).');
  let sandboxUsed = false;
  const context: Context = {
    api: service.api,
    as: service.as,
    afterwards,
    raw: async (request) => {
      const base = service.base();
      return sendRaw({ base, transport: (await service.chain()).transport }, request);
    },
    commandLine: commandLineFor(settings, ownWorkspace(extra)),
    lookUps,
    get names() {
      return names();
    },
    picked,
    output,
    sheet,
    window,
    settings,
    settingsStore: store,
    credentials,
    get prompter() {
      return prompter();
    },
    workspaceId: service.workspaceId,
    knownWorkspaceId: service.knownWorkspaceId,
    raws: async () => raws,
    accessToken: service.session.token,
    identity: service.session.identity,
    confirm: confirmer(agree),
    sandbox: lazy(async () => {
      sandboxUsed = true;
      const { createSandboxService } = await import('../sandbox-host/service.ts');
      const { embedded, baseUrl } = settings;
      return createSandboxService({ machine, stateFile, embedded, baseUrl, directory: places.state, warn });
    }),
    async *diagnose() {
      const { diagnose } = await import('../doctor/doctor.ts');
      yield* diagnose({ parts, service, places, nodeVersion: machine.nodeVersion, wrong });
    },
    auth: async () => {
      const { createAuthDesk } = await import('./auth-desk.ts');
      return createAuthDesk({ machine, settings, prompter, credentials, watch });
    },
    jobs: lazy(async () => {
      const { createJobDesk } = await import('./job-desk.ts');
      const wanted = options.journal !== false;
      return createJobDesk({ machine, directory: places.state, args, wanted, warn });
    }),
    webhooks: async () => {
      const { createWebhookDesk } = await import('./webhook-desk.ts');
      const { note } = output;
      return createWebhookDesk({ machine, settings, directory: places.state, note, warn });
    },
    reviews: reviewsFor({ ...parts, flags, prompter, service, agree, permit, directory: places.state }),
    timeZone,
    watch,
    parting: machine.parting,
    bulk: async () => (await service.chain()).bulk(true),
    stdin: (most) => readText(machine, '-', most),
    clock: machine.clock,
    interrupted: machine.interrupted,
    exit,
  };
  const values = async () => {
    const template = await templateFor(invocation);
    if (template !== undefined) {
      await output.text(template);
      return undefined;
    }
    // The rows of a file are completed by what the flags say; until they are, names stay as they are.
    const alone = context.sheet === undefined;
    return readValues(invocation, {
      calendar,
      lookUp: async (kind, text) => (alone ? lookUps.find(kind, text) : text),
      complete: (given) => (alone ? checkComplete(given, flagNames(command)) : undefined),
    });
  };
  return {
    context,
    values,
    ask: () => interview.ask({ context, service, calendar, extra }),
    tell: (error) => interview.tell(output.note, error),
    async close() {
      if (interview.reads()) machine.interrupt();
      if (sandboxUsed) await (await context.sandbox()).close();
      await service.close();
      await keep();
    },
  };
};
