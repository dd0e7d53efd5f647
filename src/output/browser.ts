import { isLoopback } from '../parsing/address.ts';

/** https, or http to this machine: nothing else is ever opened, whoever named it. */
const isSafe = (url: string): boolean => {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
};

/**
 * Opens an address in a person's browser. The address is an argument of the program, never a part of a command line.
 * `BROWSER` names the program (the first, where it is a list). False: the address is not safe, or there is nothing to
 * open it with.
 */
export const openInBrowser = async (
  url: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): Promise<boolean> => {
  if (!isSafe(url)) return false;
  const { default: open } = await import('open');
  const [name = '', ...words] =
    (env.BROWSER ?? '')
      .split(platform === 'win32' ? ';' : ':')[0]
      ?.trim()
      .split(/\s+/) ?? [];
  try {
    const options = name === '' ? {} : { app: { name, arguments: words.filter((word) => word !== '%s') } };
    // As URL writes it: quotes, spaces and control characters are encoded.
    const child = await open(new URL(url).href, options);
    child.on('error', () => {});
    return true;
  } catch {
    return false;
  }
};
