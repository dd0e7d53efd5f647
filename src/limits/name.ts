/** What a request shows of the credential that it is counted for. */
export interface Credential {
  /** Any address of the service. */
  readonly base: string;
  /** The token, or the header that carries it. Absent: none. */
  readonly secret: string | undefined;
}

const mix = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
};

const hash = (text: string, seed: number): number => {
  let value = seed;
  for (let index = 0; index < text.length; index += 1)
    value = mix(Math.imul(value ^ text.charCodeAt(index), 0x01000193));
  return value;
};

/**
 * Name of a credential's ledger: 64 bits of service and token. So few that no token of ordinary length can be got
 * back from them, whatever the hash; loading `node:crypto` for a stronger one would cost each command 1.5 ms.
 */
export const ledgerName = ({ base, secret = '' }: Credential): string => {
  const text = `${new URL(base).origin}\n${secret}`;
  return [0x811c9dc5, 0x9e3779b9].map((seed) => hash(text, seed).toString(16).padStart(8, '0')).join('');
};

/** Name of a run: its process and chance, for process numbers come again. @param chance from 0 to 1 */
export const runName = (pid: number, chance: number): string =>
  `${pid.toString(36)}-${Math.floor(chance * 36 ** 6).toString(36)}`;
