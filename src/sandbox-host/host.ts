import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeSource, type Sourced } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import { isRecord, parseJsonValue } from '../json.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { findAddressProblem, isLoopback } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import {
  buildClientVariables,
  type ControlAdvice,
  createRemoteControl,
  type Locator,
  listServerAddresses,
  type ServerAddresses,
} from '../sandbox/remote.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';
import { createSandboxDisk, EmbeddedSandbox, getStateFile } from './embedded.ts';

/** Which sandbox of this machine is meant: by `--url`, by its locator file, or by the address of the settings. */

/** What is asked of a run. */
export type HostContext = Pick<Run, 'machine' | 'directories' | 'settings' | 'output' | 'onEnd'>;

interface ServerAddress {
  /** `http://127.0.0.1:4747` */
  readonly origin: string;
  readonly secret: string;
  /** Where nothing answers there. */
  readonly advice: ControlAdvice;
}

/** The sandbox at `url`, else the running server, else the embedded one, which is closed at the end of the run. */
export function openControl(context: HostContext, url: string | undefined): SandboxControl {
  refuseDryRun(context);
  return connect(context, findServerAddress(context, url));
}

/** As `openControl`; where nothing answers at an address of the settings, the server that runs, and that is told. */
export async function openLivingControl(
  context: HostContext,
  url: string | undefined,
): Promise<SandboxControl> {
  return connect(context, await findLivingAddress(context, url));
}

function connect(context: HostContext, address: ServerAddress | undefined): SandboxControl {
  if (address !== undefined)
    return createRemoteControl(address.origin, address.secret, { advice: address.advice });
  const { machine, directories, onEnd } = context;
  const disk = createSandboxDisk(getStateFile(directories), machine.clock);
  const embedded = new EmbeddedSandbox(disk, { interrupt: machine.interrupted });
  // After the output: there may be something to send to webhooks.
  onEnd(embedded.close);
  return embedded.control;
}

/** @throws UsageError with `--dry-run` */
export function refuseDryRun({ settings }: HostContext): void {
  if (settings.dryRun.value)
    throw new UsageError('sandbox commands have no --dry-run', {
      reason: 'They change practice data alone.',
      hint: 'To go back later, save a snapshot first: ttctl sandbox snapshot save <name>',
    });
}

const STOP_TIMEOUT_MS = 5000;
const POLL_INTERVAL_MS = 20;

/** Ends the server that is meant; its port is free again then. @returns its root; undefined: none is meant */
export async function stopServer(context: HostContext, url: string | undefined): Promise<string | undefined> {
  const address = await findLivingAddress(context, url, false);
  if (address === undefined) return undefined;
  const control = connect(context, address);
  await control.stop();
  const { clock } = context.machine;
  const deadline = clock.now() + STOP_TIMEOUT_MS;
  while (clock.now() < deadline && (await isAnswering(control))) await clock.sleep(POLL_INTERVAL_MS);
  return address.origin;
}

/** The variables that point a command at a server, with a token that is the same each time. @throws UsageError without a server */
export async function loadVariables(
  context: HostContext,
  url: string | undefined,
): Promise<Record<string, string>> {
  const address = await findLivingAddress(context, url, false);
  if (address !== undefined)
    return createVariables(listServerAddresses(address.origin), connect(context, address), address.secret);
  throw new UsageError('no sandbox server is running', {
    code: 'no_sandbox_server',
    hint: 'Start one: ttctl sandbox start --detach. For the embedded sandbox, set only TTCTL_PROFILE=sandbox.',
  });
}

/** What points a command at a sandbox server, with a token of the first workspace's owner: one, however often. */
export async function createVariables(
  addresses: ServerAddresses,
  control: SandboxControl,
  secret: string,
): Promise<Record<string, string>> {
  const { workspaces, rate_limit: rateLimit } = await control.status();
  const [workspace] = workspaces;
  const as = workspace?.owner ?? '';
  const { token } = await control.createToken({ as, keptAs: 'sandbox env', scopes: ['read', 'write'] });
  return buildClientVariables(addresses, { token, workspace: workspace?.id, secret, rateLimit });
}

/**
 * The time by which signatures of deliveries are judged, in milliseconds since the epoch: a sandbox signs by its own
 * clock, which may have been moved. Of this machine where no sandbox says.
 * @param context of a run whose settings lead to this machine
 */
export function createSigningTime(context: HostContext): () => Promise<number> {
  const { machine, directories, settings } = context;
  const { clock } = machine;
  let control: SandboxControl | undefined;
  if (settings.embedded) {
    control = new EmbeddedSandbox(createSandboxDisk(getStateFile(directories), clock)).control;
  } else {
    const address = findServerAddress(context, undefined);
    // Without its secret it is none that this user may ask.
    if (address !== undefined && address.secret !== '')
      control = createRemoteControl(address.origin, address.secret, { maxWait: MAX_WAIT_S });
  }
  return async () => {
    const state = await control?.clock().catch(() => undefined);
    const now = Date.parse(String(state?.now));
    return Number.isNaN(now) ? clock.now() : now;
  };
}

/**
 * The server that is meant: at `url`, the running one, at a loopback address of the settings. None: the embedded one.
 * @param embedded whether the settings may mean the embedded one, whatever else runs
 */
export function findServerAddress(
  context: Omit<HostContext, 'output' | 'onEnd'>,
  url: string | undefined,
  embedded = context.settings.embedded,
): ServerAddress | undefined {
  if (url !== undefined && !isOnThisMachine(url)) {
    throw new UsageError(`${url} is not on this machine`, {
      reason: 'A sandbox only listens on loopback.',
    });
  }
  if (embedded && url === undefined) return undefined;
  const locator = findRunningServer(context);
  const { baseUrl } = context.settings;
  const source = url === undefined && baseUrl && isOnThisMachine(baseUrl.value) ? baseUrl : undefined;
  const requestedUrl = url ?? source?.value;
  if (requestedUrl === undefined) return locator && toServerAddress(locator);
  const { origin } = new URL(requestedUrl);
  if (locator?.url === origin) return toServerAddress(locator);
  const advice =
    source === undefined ? { hint: 'Use the address of a running sandbox.' } : createAdvice(source, locator);
  // The secret of a server that this user did not start from the same state directory.
  return { origin, secret: context.machine.env.TTCTL_SANDBOX_SECRET ?? '', advice };
}

const MAX_WAIT_S = 1;

/** As `findServerAddress`; where nothing answers at an address of the settings, the server that runs. */
async function findLivingAddress(
  context: HostContext,
  url: string | undefined,
  embedded?: boolean,
): Promise<ServerAddress | undefined> {
  refuseDryRun(context);
  const address = findServerAddress(context, url, embedded);
  const locator = findRunningServer(context);
  if (url !== undefined || address === undefined || locator === undefined) return address;
  if (address.origin === locator.url) return address;
  if (await isAnswering(createRemoteControl(address.origin, '', { maxWait: MAX_WAIT_S }))) return address;
  const { reason, hint } = address.advice;
  context.output.warn(`nothing answers at ${address.origin}. ${reason} ${hint}`);
  return toServerAddress(locator);
}

function isAnswering({ status }: SandboxControl): Promise<boolean> {
  return status().then(
    () => true,
    () => false,
  );
}

/** Read as a URL is: `http://127.0.0.1:x@elsewhere` is elsewhere. */
function isOnThisMachine(url: string): boolean {
  if (findAddressProblem(url) !== undefined) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopback(hostname);
}

/** The settings may name a server that is long gone. */
function createAdvice(source: Sourced<string>, locator: Locator | undefined): ControlAdvice {
  const description = describeSource(source);
  const [firstStep, env] =
    locator === undefined
      ? ['Start one with ttctl sandbox start', 'ttctl sandbox env']
      : [`A sandbox is running at ${locator.url}`, commandLine`ttctl sandbox env --url ${locator.url}`];
  const unset = source.from === 'environment' ? `, or unset ${description}` : '';
  return {
    reason: `The address comes from ${description}.`,
    hint: `${firstStep}. Then run: eval "$(${env})"${unset}.`,
  };
}

function toServerAddress({ url, secret, pid }: Locator): ServerAddress {
  return {
    origin: url,
    secret,
    advice: { hint: `It is process ${pid}: end it, and start another with ttctl sandbox start.` },
  };
}

/** The file by which commands find the running server. */
function getLocatorPath(directory: string): string {
  return join(directory, 'sandbox.json');
}

/** The running server, or undefined; the file of one that is gone counts for nothing. */
export function findRunningServer({
  machine,
  directories: { state },
}: Pick<HostContext, 'machine' | 'directories'>): Locator | undefined {
  const locator = state === undefined ? undefined : readLocator(state);
  if (locator === undefined) return undefined;
  try {
    machine.kill(locator.pid, 0);
    return locator;
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? locator : undefined;
  }
}

/** @throws Failure for one that somebody else could have written: it says where a secret is sent */
function readLocator(directory: string): Locator | undefined {
  const fields = parseJsonValue(readOwnFile(getLocatorPath(directory))?.toString('utf8') ?? '');
  if (!isRecord(fields)) return undefined;
  const texts = ['url', 'base_url', 'auth_url', 'token_url', 'started_at', 'secret'];
  const isWhole =
    texts.every((name) => typeof fields[name] === 'string') && Number.isInteger(Number(fields['pid']));
  return isWhole ? (fields as unknown as Locator) : undefined;
}

export function writeLocator(directory: string, locator: Locator): void {
  makePrivateDirectory(directory);
  writeDurably(getLocatorPath(directory), `${JSON.stringify(locator, null, 2)}\n`, { mode: 0o600 });
}

/** Removes the file, but not one that another server has written since. */
export function removeLocator(directory: string, pid: number): void {
  if (readLocator(directory)?.pid === pid) rmSync(getLocatorPath(directory), { force: true });
}
