import { type Command, Option } from 'commander';
import { UsageError } from '../../outcome.ts';
import type { HandOn, ListenWish } from '../../webhooks/desk.ts';
import { readPort } from '../convert.ts';

/** The flags of `listen`, `received` and `replay`, and what they say. */

/** Heading of what is done with a delivery. */
export const ON = 'Hand on:';

type Options = Readonly<Record<string, unknown>>;

export const withStore = (command: Command): Command =>
  command.option('--store <folder>', 'where deliveries are kept; default: webhooks in the state directory');

export const withHandOn = (command: Command): Command =>
  command
    .addOption(new Option('--forward <url>', 'post each on to this address, byte for byte').helpGroup(ON))
    .addOption(
      new Option(
        '--exec <command>',
        'run this in the shell for each: its body on stdin; TTCTL_EVENT, TTCTL_DELIVERY_ID and others in the environment',
      ).helpGroup(ON),
    );

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const storeOf = (options: Options): string | undefined => textOf(options.store);

/** @throws UsageError for what is no web address */
export const webAddress = (where: string, value: unknown): string | undefined => {
  const url = textOf(value);
  if (url === undefined || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return url;
  throw new UsageError(`${where}: "${url}" is not a web address`);
};

/** @throws UsageError for what is no web address */
export const handOnOf = ({ forward, exec }: Options): HandOn => {
  const url = webAddress('--forward', forward);
  return {
    ...(url === undefined ? {} : { forward: url }),
    ...(typeof exec === 'string' ? { exec } : {}),
  };
};

const eventsOf = ({ event }: Options): readonly string[] =>
  (Array.isArray(event) ? event.map(String) : []).flatMap((text) => text.split(',')).filter(Boolean);

/** @throws UsageError */
export const wishOf = (options: Options): ListenWish => {
  const path = textOf(options.path);
  const store = storeOf(options);
  if (path?.startsWith('/') === false) throw new UsageError(`--path: "${path}" does not begin with /`);
  if (options.forwardStatus === true && options.forward === undefined)
    throw new UsageError('--forward-status needs --forward');
  if (options.url !== undefined && options.create !== true) throw new UsageError('--url needs --create');
  return {
    ...handOnOf(options),
    host: String(options.host),
    port: readPort('--port', String(options.port)),
    ...(path === undefined ? {} : { path }),
    ...(store === undefined ? {} : { store }),
    events: eventsOf(options),
    forwardStatus: options.forwardStatus === true,
    requireSignature: options.requireSignature === true,
  };
};
