import type { Command } from 'commander';
import { sendRaw } from './api/client.ts';
import { complete } from './api/plan.ts';
import { factsOf, zoneOf } from './commands/command.ts';
import { flagNames } from './commands/options.ts';
import { readValues } from './commands/values.ts';
import type { Directories } from './config/paths.ts';
import { resolveSettings } from './config/settings.ts';
import type { GlobalFlags } from './config/settings-types.ts';
import { createSettingsStore } from './config/store.ts';
import { confirmer } from './confirm.ts';
import type { Context } from './context.ts';
import { lazy } from './lazy.ts';
import { createLookUps } from './look-ups.ts';
import type { Machine } from './machine.ts';
import { createNames } from './names.ts';
import { openOutput } from './open-output.ts';
import { UsageError } from './outcome.ts';
import { readRaws } from './raws.ts';
import { openService, type Parts } from './service.ts';
import { createPrompter } from './terminal/prompt.ts';
import { readWindow } from './window.ts';

/** Builds the context of one command: what it is handed, each part made when it is first used. */

export interface Opened {
  readonly context: Context;
  /** The values of the command's flags, checked and looked up. */
  values(): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const systemTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Reads a file that a flag names, or stdin for `-`. */
const readText = async (machine: Machine, file: string): Promise<string> => {
  if (file !== '-') {
    const { readInput } = await import('./disk/read.ts');
    return readInput(file);
  }
  return readStdin(machine);
};

const readStdin = async ({ stdin }: Machine): Promise<string> => {
  if (stdin.isTTY)
    throw new UsageError('stdin is a terminal', { hint: 'Pipe the input in, or name a file.' });
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
};

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

/**
 * Opens the context of a command. Settings are read here; everything else is made when it is first used.
 * @throws UsageError for a bad flag, variable or settings file
 */
export const openContext = async (
  command: Command,
  machine: Machine,
  places: Directories,
  exit: (code: number) => void,
): Promise<Opened> => {
  const store = createSettingsStore(places.config && `${places.config}/settings.json`, machine.clock);
  const root: GlobalFlags = rootOf(command).opts();
  const { operation, newProfile = false } = factsOf(command);
  const flags: GlobalFlags = newProfile ? { ...command.opts(), ...root } : root;
  const settings = resolveSettings({ flags, env: machine.env, file: store.read(), newProfile });
  const zone = zoneOf(command);
  const timeZone = lazy(() => zone ?? settings.timezone?.value ?? systemTimeZone());
  const output = openOutput(machine, settings, {
    flags,
    showSecrets: command.opts().showSecrets === true,
    timeZone,
  });
  await output.prepare();
  const credentials = lazy(async () => {
    const { createCredentialStore } = await import('./auth/credentials.ts');
    return createCredentialStore(
      places.config && `${places.config}/credentials.json`,
      machine.clock,
      output.warn,
    );
  });
  const stateFile = places.state && `${places.state}/sandbox/world.json`;
  const parts: Parts = { machine, settings, credentials, stateFile, note: output.note };
  const raws = await readRaws(command.opts(), (file) => readText(machine, file));
  const service = openService(command, parts, () => raws);
  const window = readWindow(command.opts());
  const prompter = lazy(() =>
    createPrompter({
      stdin: machine.stdin,
      stderr: machine.stderrStream,
      available: machine.stdin.isTTY === true && machine.stderr.isTTY && !settings.noInput.value,
      signal: machine.interrupted,
    }),
  );
  const lookUps = createLookUps(service.api);
  const names = lazy(() => createNames(service.api));
  if (settings.embedded && machine.stderr.isTTY) output.note('sandbox: nothing of this is real');

  const context: Context = {
    api: service.api,
    as: service.as,
    raw: async (request) => {
      const base = service.base();
      return sendRaw({ base, transport: (await service.chain()).transport }, request);
    },
    lookUps,
    get names() {
      return names();
    },
    output,
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
    identity: service.session.identity,
    confirm: confirmer(parts, service, prompter),
    sandbox: async () => {
      const { createSandboxDesk } = await import('./sandbox-desk.ts');
      const { embedded, baseUrl } = settings;
      return createSandboxDesk({
        machine,
        directory: places.state,
        stateFile,
        embedded,
        baseUrl: baseUrl?.value,
      });
    },
    stdin: () => readStdin(machine),
    clock: machine.clock,
    interrupted: machine.interrupted,
    exit,
  };
  const calendar = { now: machine.clock.now(), timeZone };
  const values = () =>
    readValues(command, {
      calendar,
      lookUp: (kind, text) => lookUps.find(kind, text),
      complete(given) {
        if (operation === undefined) return;
        const input = typeof raws.input === 'object' && raws.input !== null ? { ...raws.input } : {};
        const extra = { query: raws.query, body: raws.fields, input };
        complete(operation, given, { extra, flagOf: flagNames(command) });
      },
    });
  return { context, values, close: async () => (await service.chain()).close() };
};
