import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Which process listens on a port of this machine, where /proc tells (an adapter). */

export interface PortOwner {
  readonly pid: number;
  /** Its program and arguments, cut. */
  readonly command: string;
}

const LISTEN_STATE = '0A';
const MAX_COMMAND_LENGTH = 80;

const readOr = <T>(read: () => T, fallback: T): T => {
  try {
    return read();
  } catch {
    return fallback;
  }
};

/** Inodes of the sockets that listen on the port, from a table of /proc/net: `sl local rem st … inode`. */
const parseInodes = (table: string, port: number): string[] => {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === LISTEN_STATE && local.endsWith(`:${hexPort}`) && inode !== undefined ? [inode] : [];
  });
};

const holdsSocket = (root: string, pid: string, sockets: ReadonlySet<string>): boolean => {
  const folder = `${root}/${pid}/fd`;
  return readOr(() => readdirSync(folder), []).some((fd) =>
    sockets.has(readOr(() => readlinkSync(`${folder}/${fd}`), '')),
  );
};

const readCommand = (root: string, pid: string): string => {
  const words = readOr(() => readFileSync(`${root}/${pid}/cmdline`, 'utf8'), '').split('\0');
  const text = words.join(' ').trim();
  return text.length > MAX_COMMAND_LENGTH ? `${text.slice(0, MAX_COMMAND_LENGTH)}…` : text;
};

/**
 * Undefined where it cannot be seen: there is no /proc, or the process is another user's.
 * @param root for tests; default `/proc`
 */
export const findPortOwner = (port: number, root = '/proc'): PortOwner | undefined => {
  const tables = ['tcp', 'tcp6'].map((name) => readOr(() => readFileSync(`${root}/net/${name}`, 'utf8'), ''));
  const sockets = new Set(
    tables.flatMap((table) => parseInodes(table, port)).map((inode) => `socket:[${inode}]`),
  );
  if (sockets.size === 0) return undefined;
  const processes = readOr(() => readdirSync(root), []).filter((name) => /^\d+$/.test(name));
  const pid = processes.find((candidate) => holdsSocket(root, candidate, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), command: readCommand(root, pid) };
};
