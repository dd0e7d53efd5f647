import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeSource, type Sourced } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import { isRecord } from '../json/number.ts';
import { parseJsonValue } from '../json/parse.ts';
import { findAddressProblem, isLoopback } from '../parsing/address.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Machine } from '../platform/machine.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { type ControlAdvice, createRemoteControl } from '../sandbox/control-client.ts';
import type { Locator } from '../sandbox/locator.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { writeDurably } from '../storage/write.ts';
import { createSandboxDisk, openEmbedded } from './embedded.ts';

/** Which sandbox server is meant: by `--url`, by its locator file, or by the address of the settings. */

export interface ServerQuery {
  readonly machine: Machine;
  /** State file of the embedded sandbox. */
  readonly stateFile: string | undefined;
  /** The state directory. */
  readonly directory: string | undefined;
  /** `--profile sandbox` was said: the embedded one is meant, whatever else runs. */
  readonly embedded: boolean;
  /** `TTCTL_BASE_URL` or the profile's address. */
  readonly baseUrl: Sourced<string> | undefined;
  readonly warn: (text: string) => void;
}

export interface ServerAddress {
  /** `http://127.0.0.1:4747` */
  readonly origin: string;
  readonly secret: string;
  /** Where nothing answers there. */
  readonly advice: ControlAdvice;
}

/** The file by which commands find the running server. */
const getLocatorPath = (directory: string): string => join(directory, 'sandbox.json');

/** The running server, or undefined; the file of one that is gone counts for nothing. */
export const findRunningServer = ({
  machine,
  directory,
}: Pick<ServerQuery, 'machine' | 'directory'>): Locator | undefined => {
  const locator = directory === undefined ? undefined : readLocator(directory);
  return locator !== undefined && isAlive(machine, locator.pid) ? locator : undefined;
};

/** @throws Failure for one that somebody else could have written: it says where a secret is sent */
const readLocator = (directory: string): Locator | undefined => {
  const fields = parseJsonValue(readOwnFile(getLocatorPath(directory))?.toString('utf8') ?? '');
  if (!isRecord(fields)) return undefined;
  const texts = ['url', 'base_url', 'auth_url', 'token_url', 'started_at', 'secret'];
  const isWhole =
    texts.every((name) => typeof fields[name] === 'string') && Number.isInteger(Number(fields['pid']));
  return isWhole ? (fields as unknown as Locator) : undefined;
};

export const writeLocator = (directory: string, locator: Locator): void => {
  makePrivateDirectory(directory);
  writeDurably(getLocatorPath(directory), `${JSON.stringify(locator, null, 2)}\n`, { mode: 0o600 });
};

/** Removes the file, but not one that another server has written since. */
export const removeLocator = (directory: string, pid: number): void => {
  if (readLocator(directory)?.pid === pid) rmSync(getLocatorPath(directory), { force: true });
};

const isAlive = ({ kill }: Machine, pid: number): boolean => {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Read as a URL is: `http://127.0.0.1:x@elsewhere` is elsewhere. */
const isOnThisMachine = (url: string): boolean => {
  if (findAddressProblem(url) !== undefined) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopback(hostname);
};

/** The secret of a server that this user did not start from the same state directory. */
const getSecret = ({ machine }: ServerQuery): string => machine.env.TTCTL_SANDBOX_SECRET ?? '';

/** The settings may name a server that is long gone. */
const createAdvice = (source: Sourced<string>, locator: Locator | undefined): ControlAdvice => {
  const description = describeSource(source);
  const firstStep =
    locator === undefined ? 'Start one with ttctl sandbox start' : `A sandbox is running at ${locator.url}`;
  return {
    reason: `The address comes from ${description}.`,
    hint: `${firstStep}. Then run: eval "$(${locator === undefined ? 'ttctl sandbox env' : commandLine`ttctl sandbox env --url ${locator.url}`})"${
      source.from === 'environment' ? `, or unset ${description}` : ''
    }.`,
  };
};

const toServerAddress = ({ url, secret, pid }: Locator): ServerAddress => ({
  origin: url,
  secret,
  advice: { hint: `It is process ${pid}: end it, and start another with ttctl sandbox start.` },
});

/** The server that is meant: at `url`, the running one, at a loopback address of the settings. None: the embedded one. */
export const findServerAddress = (
  options: ServerQuery,
  url: string | undefined,
): ServerAddress | undefined => {
  if (url !== undefined && !isOnThisMachine(url)) {
    throw new UsageError(`${url} is not on this machine`, {
      reason: 'A sandbox only listens on loopback.',
    });
  }
  if (options.embedded && url === undefined) return undefined;
  const locator = findRunningServer(options);
  const { baseUrl } = options;
  const source =
    url === undefined && baseUrl !== undefined && isOnThisMachine(baseUrl.value) ? baseUrl : undefined;
  const requestedUrl = url ?? source?.value;
  if (requestedUrl === undefined) return locator && toServerAddress(locator);
  const { origin } = new URL(requestedUrl);
  if (locator?.url === origin) return toServerAddress(locator);
  const advice =
    source === undefined ? { hint: 'Use the address of a running sandbox.' } : createAdvice(source, locator);
  return { origin, secret: getSecret(options), advice };
};

const MAX_WAIT_S = 1;

export const openControl = ({ origin, secret, advice }: ServerAddress): SandboxControl =>
  createRemoteControl(origin, secret, { advice });

/** Whether a server is there. */
export const isAnswering = ({ status }: SandboxControl): Promise<boolean> =>
  status().then(
    () => true,
    () => false,
  );

/** As `findServerAddress`; where nothing answers at an address of the settings, the server that runs. */
export const findLivingAddress = async (
  options: ServerQuery,
  url: string | undefined,
): Promise<ServerAddress | undefined> => {
  const address = findServerAddress(options, url);
  const locator = findRunningServer(options);
  if (url !== undefined || address === undefined || locator === undefined) return address;
  if (address.origin === locator.url) return address;
  if (await isAnswering(createRemoteControl(address.origin, '', { maxWait: MAX_WAIT_S }))) return address;
  options.warn(`nothing answers at ${address.origin}. ${address.advice.reason} ${address.advice.hint}`);
  return toServerAddress(locator);
};

/**
 * The time by which signatures of deliveries are judged, in milliseconds since the epoch: a sandbox signs by its own
 * clock, which may have been moved. Of this machine where no sandbox says.
 */
export const createSigningTime = (options: ServerQuery): (() => Promise<number>) => {
  const { clock } = options.machine;
  const control = findSettingsControl(options);
  return async () => {
    const state = await control?.clock().catch(() => undefined);
    const now = Date.parse(String(state?.now));
    return Number.isNaN(now) ? clock.now() : now;
  };
};

/** The sandbox that the settings lead to; undefined: it is none that this user may ask. */
const findSettingsControl = (options: ServerQuery): SandboxControl | undefined => {
  const { embedded, baseUrl, stateFile, machine } = options;
  if (embedded) return openEmbedded(createSandboxDisk(stateFile, machine.clock)).control;
  if (baseUrl === undefined || !isLoopback(new URL(baseUrl.value).hostname)) return undefined;
  const address = findServerAddress(options, undefined);
  if (address === undefined || address.secret === '') return undefined;
  return createRemoteControl(address.origin, address.secret, { maxWait: MAX_WAIT_S });
};
