import { UsageError } from '../../outcome.ts';

/** Where the sandbox may send to: this machine, and hosts that somebody allowed by name. */

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** The host of an address as URLs write it: lower case, no port; numbers of every notation as `127.0.0.1`. */
const getHost = (url: string): string => new URL(url).hostname;

/** Why a webhook with this address gets nothing; undefined where it may. */
export const explainRefusal = (url: string, allowed: readonly string[]): string | undefined => {
  const host = getHost(url);
  if (LOOPBACK.test(host) || allowed.includes(host)) return undefined;
  return `${host} is not this machine (sandbox start --allow-webhooks-to)`;
};

const createHostError = (text: string): UsageError =>
  new UsageError(`--allow-webhooks-to: "${text}" is not a host`, {
    hint: 'Use only the host name: hooks.example.com',
  });

/**
 * Hosts as a person writes them, in the form of `getHost`.
 * @throws UsageError for an address, a port, a path
 */
export const parseHosts = (texts: readonly string[]): string[] =>
  texts.map((text) => {
    const url = `http://${text}/`;
    if (!/^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\*]+)$/i.test(text) || !URL.canParse(url))
      throw createHostError(text);
    return getHost(url);
  });
