import { UsageError } from '../outcome.ts';
import { isLoopback } from '../parsing/address.ts';

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL, or nothing: `HTTP_PROXY` for http, `HTTPS_PROXY` for https, less what `NO_PROXY` names.
 * Lower case wins over upper case; an empty value counts as absent; a value without a scheme means `http://`.
 * A loopback address is never proxied: the tokens of a sandbox must not leave the machine.
 * Fails with a `UsageError` when the proxy that applies is not an http or https URL.
 */
export const findProxy = (url: URL, env: ProxyEnvironment): string | undefined => {
  const variable = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = read(env, variable);
  if (value === undefined || isOwn(url.hostname)) return undefined;
  if (isExempt(url, read(env, 'no_proxy') ?? '')) return undefined;
  return proxyUrl(value, variable.toUpperCase());
};

/** This machine by any of its names: those under `localhost` too (RFC 6761), though they are trusted with nothing else. */
const isOwn = (hostname: string): boolean => {
  const name = hostname.replace(/\.$/, '');
  return isLoopback(name) || name.endsWith('.localhost');
};

const read = (env: ProxyEnvironment, lower: string): string | undefined => {
  const value = (env[lower] ?? env[lower.toUpperCase()])?.trim();
  return value === '' ? undefined : value;
};

// The value may hold a password, so it is not repeated in the message.
const proxyUrl = (value: string, variable: string): string => {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed.href;
  throw new UsageError(`${variable} is not the URL of an http or https proxy`, {
    hint: `Set it like ${variable}=http://proxy.example:3128, or unset it.`,
  });
};

/**
 * `NO_PROXY` is a list parted by commas or spaces. An entry is `*`, a host name (which covers the names under it,
 * with or without a leading `.` or `*.`), an IP address or an IPv4 block (`10.0.0.0/8`), each with an optional port.
 */
const isExempt = (url: URL, list: string): boolean => {
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entryCovers(entry, host, port));
};

const entryCovers = (entry: string, host: string, port: string): boolean => {
  if (entry === '*') return true;
  const { name, port: only } = splitPort(entry);
  if (only !== undefined && only !== port) return false;
  if (name.includes('/')) return inBlock(host, name);
  const suffix = name.replace(/^\*?\./, '');
  return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
};

const splitPort = (entry: string): { name: string; port: string | undefined } => {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry);
  if (bracketed) return { name: bracketed[1] ?? '', port: bracketed[2] };
  // More than one colon is an IPv6 address without brackets, which has no port.
  const plain = /^([^:]*):(\d+)$/.exec(entry);
  return plain ? { name: plain[1] ?? '', port: plain[2] } : { name: entry, port: undefined };
};

const inBlock = (host: string, block: string): boolean => {
  const [network = '', bits = ''] = block.split('/');
  const address = ipv4(host);
  const start = ipv4(network);
  const length = /^\d{1,2}$/.test(bits) ? Number(bits) : 33;
  if (address === undefined || start === undefined || length > 32) return false;
  const size = 2 ** (32 - length);
  return Math.floor(address / size) === Math.floor(start / size);
};

const ipv4 = (text: string): number | undefined => {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
};
