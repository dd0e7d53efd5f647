/** The ways in which one secret can be written; `redact.ts` looks for all of them. */

export interface SecretForms {
  /**
   * Finds it raw, JSON-escaped, percent-encoded (in URLs and in forms), or in any mixture of these: encoders differ in
   * which characters they encode.
   */
  readonly text: RegExp;
  /**
   * To be found within base64 and base64url text: what the secret turns into at each of the three places it can have
   * in a group of three bytes, whatever stands around it (`Basic` has a user name before it).
   */
  readonly packed: readonly string[];
}

export const listSecretForms = (secret: string): SecretForms => {
  const cores = [0, 1, 2].map((offset) => packedCore(secret, offset)).filter((core) => core.length >= 6);
  const urlSafe = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
  return {
    text: new RegExp([...secret].map(formsOfCharacter).join(''), 'g'),
    packed: [...new Set([...cores, ...urlSafe])],
  };
};

const formsOfCharacter = (character: string): string => {
  // No encoder touches these.
  if (/^[A-Za-z0-9_]$/.test(character)) return character;
  const inJson = JSON.stringify(character).slice(1, -1);
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const forms = [
    literal(inJson),
    units.map((unit) => `\\\\u${hex(unit, 4)}`).join(''),
    [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join(''),
    literal(character),
    ...(character === ' ' ? ['\\+'] : []),
    ...(character === '/' ? ['\\\\/'] : []),
  ];
  return `(?:${[...new Set(forms)].join('|')})`;
};

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Hexadecimal digits of either case. */
const hex = (value: number, digits: number): string =>
  value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** The base64 of the secret after `offset` other bytes, less the characters that its neighbours have a part in. */
const packedCore = (secret: string, offset: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor((bytes.byteLength * 8) / 6);
  return bytes.toString('base64').slice(first, last);
};
