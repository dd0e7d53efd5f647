import { UsageError } from '../../outcome.ts';
import type { ForwardingOptions, ListenerOptions } from '../../webhooks/service.ts';
import { parsePort } from '../port.ts';

/** What the flags of `listen`, `received` and `replay` say. */

type Options = Readonly<Record<string, unknown>>;

const toOptionalText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

export const readStoreFlag = (options: Options): string | undefined => toOptionalText(options.store);

/** @throws UsageError for what is no web address */
export const parseWebAddress = (where: string, value: unknown): string | undefined => {
  const url = toOptionalText(value);
  if (url === undefined || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return url;
  throw new UsageError(`${where}: "${url}" is not a web address`);
};

/** A day: no timer can wait for much longer than that. */
const MAX_SECONDS = 86_400;

const parseSeconds = (flagName: string, text: string): number => {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw new UsageError(`${flagName}: "${text}" is not a number of seconds from 1 to ${MAX_SECONDS}`);
};

/** @throws UsageError for what is no web address, or names variables for no command */
export const readForwardingFlags = (options: Options): ForwardingOptions => {
  const { forward, exec, passEnv, handlerTimeout } = options;
  const url = parseWebAddress('--forward', forward);
  const names = Array.isArray(passEnv) ? passEnv.map(String) : [];
  if (names.length > 0 && exec === undefined) throw new UsageError('--pass-env needs --exec');
  return {
    ...(url === undefined ? {} : { forward: url }),
    ...(typeof exec === 'string' ? { exec } : {}),
    ...(names.length === 0 ? {} : { passEnv: names }),
    handlerTimeoutMs: parseSeconds('--handler-timeout', String(handlerTimeout)) * 1000,
  };
};

const splitEvents = ({ event }: Options): readonly string[] =>
  (Array.isArray(event) ? event.map(String) : []).flatMap((text) => text.split(',')).filter(Boolean);

/** @throws UsageError */
const checkAnswerAfterHandler = ({ forward, exec, forwardStatus }: Options): void => {
  if (forward === undefined && exec === undefined)
    throw new UsageError('--answer-after-handler needs --forward or --exec');
  if (forwardStatus === true)
    throw new UsageError('--forward-status and --answer-after-handler cannot be used together');
};

/** @throws UsageError */
export const readListenerFlags = (options: Options): ListenerOptions => {
  const path = toOptionalText(options.path);
  const store = readStoreFlag(options);
  if (path?.startsWith('/') === false) throw new UsageError(`--path: "${path}" does not begin with /`);
  if (options.forwardStatus === true && options.forward === undefined)
    throw new UsageError('--forward-status needs --forward');
  if (options.answerAfterHandler === true) checkAnswerAfterHandler(options);
  if (options.url !== undefined && options.create !== true) throw new UsageError('--url needs --create');
  return {
    ...readForwardingFlags(options),
    host: String(options.host),
    port: parsePort('--port', String(options.port)),
    ...(path === undefined ? {} : { path }),
    ...(store === undefined ? {} : { store }),
    events: splitEvents(options),
    forwardStatus: options.forwardStatus === true,
    answerAfterHandler: options.answerAfterHandler === true,
    requireSignature: options.requireSignature === true,
    refuseUnsigned: options.create === true,
  };
};
