import { UsageError } from '../errors.ts';

/** @throws UsageError for what is no port of TCP; 0 means any free port */
export const parsePort = (where: string, text: string): number => {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`${where}: "${text}" is not a port`);
  return port;
};
