import { describeSource, type Sourced } from '../config/sourced.ts';
import { readOwn } from '../disk/own.ts';
import type { Machine } from '../host/machine.ts';
import { addressProblem, isLoopback } from '../notation/address.ts';
import { commandLine } from '../notation/shell-word.ts';
import { UsageError } from '../outcome.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { type Advice, remoteControl } from '../sandbox/control-client.ts';
import { findRunning, isAlive, type Locator } from '../sandbox/locator.ts';

/** Which sandbox server is meant: by `--url`, by its locator file, or by the address of the settings. */

export interface Meant {
  readonly machine: Machine;
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
  readonly advice: Advice;
}

export const runningServer = ({ machine, directory }: Meant): Locator | undefined =>
  directory === undefined
    ? undefined
    : findRunning({ directory, read: readOwn, alive: isAlive(machine.kill) });

/** Read as a URL is: `http://127.0.0.1:x@elsewhere` is elsewhere. */
const isOnThisMachine = (url: string): boolean => {
  if (addressProblem(url) !== undefined) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopback(hostname);
};

/** The secret of a server that this user did not start from the same state directory. */
const secretOf = ({ machine }: Meant): string => machine.env.TTCTL_SANDBOX_SECRET ?? '';

/** The settings may name a server that is long gone. */
const adviceFor = (source: Sourced<string>, locator: Locator | undefined): Advice => {
  const from = describeSource(source);
  const lead = locator === undefined ? 'Start one with ttctl sandbox start' : `One runs at ${locator.url}`;
  return {
    reason: `The address comes from ${from}.`,
    hint: `${lead}; then eval "$(${locator === undefined ? 'ttctl sandbox env' : commandLine`ttctl sandbox env --url ${locator.url}`})"${
      source.from === 'environment' ? `, or unset ${from}` : ''
    }.`,
  };
};

const located = ({ url, secret, pid }: Locator): ServerAddress => ({
  origin: url,
  secret,
  advice: { hint: `It is process ${pid}: end it, and start another with ttctl sandbox start.` },
});

/** The server that is meant: at `url`, the running one, at a loopback address of the settings. None: the embedded one. */
export const addressOf = (options: Meant, url: string | undefined): ServerAddress | undefined => {
  if (url !== undefined && !isOnThisMachine(url)) {
    throw new UsageError(`${url} is not on this machine`, {
      reason: 'A sandbox only listens on loopback.',
    });
  }
  if (options.embedded && url === undefined) return undefined;
  const locator = runningServer(options);
  const { baseUrl } = options;
  const source =
    url === undefined && baseUrl !== undefined && isOnThisMachine(baseUrl.value) ? baseUrl : undefined;
  const wanted = url ?? source?.value;
  if (wanted === undefined) return locator && located(locator);
  const { origin } = new URL(wanted);
  if (locator?.url === origin) return located(locator);
  const advice =
    source === undefined ? { hint: 'Use the address of a running sandbox.' } : adviceFor(source, locator);
  return { origin, secret: secretOf(options), advice };
};

const MAX_WAIT_S = 1;

export const controlAt = ({ origin, secret, advice }: ServerAddress): SandboxControl =>
  remoteControl(origin, secret, { advice });

/** Whether a server is there. */
export const answers = ({ status }: SandboxControl): Promise<boolean> =>
  status().then(
    () => true,
    () => false,
  );

/** As `addressOf`; where nothing answers at an address of the settings, the server that runs. */
export const livingAddress = async (
  options: Meant,
  url: string | undefined,
): Promise<ServerAddress | undefined> => {
  const address = addressOf(options, url);
  const locator = runningServer(options);
  if (url !== undefined || address === undefined || locator === undefined) return address;
  if (address.origin === locator.url) return address;
  if (await answers(remoteControl(address.origin, '', { maxWait: MAX_WAIT_S }))) return address;
  options.warn(`nothing answers at ${address.origin}. ${address.advice.reason} ${address.advice.hint}`);
  return located(locator);
};
