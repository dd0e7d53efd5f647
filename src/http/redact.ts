import { isRecord } from '../json/number.ts';

/** The ways in which one secret can be written; `redact.ts` looks for all of them. */

interface SecretForms {
  /**
   * Finds it raw, JSON-escaped, percent-encoded (in URLs and in forms), or in any mixture of these: encoders differ in
   * which characters they encode.
   */
  readonly text: RegExp;
  /**
   * To be found within base64 and base64url text: what the secret turns into at each of the three places it can have
   * in a group of three bytes, whatever stands around it (`Basic` has a user name before it).
   */
  readonly base64: readonly string[];
}

const listSecretForms = (secret: string): SecretForms => {
  const cores = [0, 1, 2]
    .map((offset) => encodeBase64Core(secret, offset))
    .filter((core) => core.length >= 6);
  const urlSafe = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
  return {
    text: new RegExp([...secret].map(formatCharacterPattern).join(''), 'g'),
    base64: [...new Set([...cores, ...urlSafe])],
  };
};

const formatCharacterPattern = (character: string): string => {
  // No encoder touches these.
  if (/^[A-Za-z0-9_]$/.test(character)) return character;
  const inJson = JSON.stringify(character).slice(1, -1);
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const forms = [
    escapePattern(inJson),
    units.map((unit) => `\\\\u${formatHexPattern(unit, 4)}`).join(''),
    [...Buffer.from(character)].map((byte) => `%${formatHexPattern(byte, 2)}`).join(''),
    escapePattern(character),
    ...(character === ' ' ? ['\\+'] : []),
    ...(character === '/' ? ['\\\\/'] : []),
  ];
  return `(?:${[...new Set(forms)].join('|')})`;
};

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Hexadecimal digits of either case. */
const formatHexPattern = (value: number, digits: number): string =>
  value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** The base64 of the secret after `offset` other bytes, less the characters that its neighbours have a part in. */
const encodeBase64Core = (secret: string, offset: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor((bytes.byteLength * 8) / 6);
  return bytes.toString('base64').slice(first, last);
};

/** Keeps secrets out of what is shown or stored. */
export interface Redactor {
  /** From now on this value is masked wherever it appears, in any encoding. Below 6 characters it is ignored. */
  register(secret: string): void;
  /**
   * Masks registered values, bearer and basic credentials, passwords in URLs, and the values of secret keys in JSON
   * and queries.
   */
  text(text: string): string;
  /** Masks the values of secret keys at any depth, and every text in it. `null` stays. Does not change its argument. */
  json(value: unknown): unknown;
  /** The value of a header, masked: of `authorization` the scheme stays. */
  header(name: string, value: string): string;
}

/** What stands in place of a secret. */
const MASK = '***';

const MIN_SECRET_LENGTH = 6;

export const createRedactor = (): Redactor => {
  const secrets = new Map<string, SecretForms>();
  const text = (given: string): string => maskPatterns(maskValues(given, secrets.values()));
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [text(key), maskMember(key, inner)]),
    );
  };
  const maskMember = (key: string, value: unknown): unknown =>
    isSecretKey(key) && value !== null && value !== undefined ? MASK : json(value);
  return {
    register(secret) {
      if (secret.length >= MIN_SECRET_LENGTH && !secrets.has(secret))
        secrets.set(secret, listSecretForms(secret));
    },
    text,
    json,
    header(name, value) {
      if (!isSecretKey(name)) return text(value);
      const scheme = /authorization$/i.test(name)
        ? /^(bearer|basic|digest)(?= )/i.exec(value)?.[0]
        : undefined;
      return scheme === undefined ? MASK : `${scheme} ${MASK}`;
    },
  };
};

/** Compared without case, `_` and `-`. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'code',
  'codeverifier',
  'state',
  'cookie',
  'setcookie',
  'apikey',
  'xapikey',
  'invitationlink',
]);

const isSecretKey = (key: string): boolean => {
  const bare = key.toLowerCase().replace(/[_-]/g, '');
  return SECRET_KEYS.has(bare) || /(token|secret|password)$/.test(bare);
};

/** From where to where, the end excluded. */
type Span = readonly [start: number, end: number];

/**
 * All places are found in the text as it came, then masked: so one secret within or across another leaves no rest.
 */
const maskValues = (text: string, secrets: Iterable<SecretForms>): string => {
  const spans: Span[] = [];
  for (const forms of secrets) {
    for (const span of findMatches(text, forms.text)) spans.push(span);
    for (const core of forms.base64) for (const span of findBase64Runs(text, core)) spans.push(span);
  }
  if (spans.length === 0) return text;
  spans.sort(([a], [b]) => a - b);
  const parts: string[] = [];
  let end = 0;
  for (const [from, to] of spans) {
    if (from >= end) parts.push(text.slice(end, from), MASK);
    end = Math.max(end, to);
  }
  return parts.join('') + text.slice(end);
};

const findMatches = (text: string, pattern: RegExp): Span[] => {
  const matches: Span[] = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    matches.push([found.index, pattern.lastIndex]);
    // The same secret may begin again within this one.
    pattern.lastIndex = found.index + 1;
  }
  return matches;
};

const findBase64Runs = (text: string, core: string): Span[] => {
  const runs: Span[] = [];
  for (let at = text.indexOf(core); at >= 0; ) {
    const run = expandBase64Run(text, [at, at + core.length]);
    runs.push(run);
    at = text.indexOf(core, run[1]);
  }
  return runs;
};

/** The whole base64 text around a find: its neighbours hold the secret's first and last bits. */
const expandBase64Run = (text: string, [from, to]: Span): Span => {
  const base64 = /[A-Za-z0-9+/_=-]/;
  let start = from;
  let end = to;
  while (start > 0 && base64.test(text.charAt(start - 1))) start -= 1;
  while (end < text.length && base64.test(text.charAt(end))) end += 1;
  return [start, end];
};

const KEY = '[\\w-]*(?:token|secret|password|authorization|cookie|api[_-]?key|code_verifier|invitation_link)';

/**
 * Secrets that nobody registered: "a valid Bearer token." is none. `code` and `state` are masked in queries only: in JSON they may be words of an error.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic) +(?!tokens?[.,]?(?:["'\s]|$))[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${MASK}`],
  [new RegExp(`("${KEY}"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*"|-?\\d[\\d.eE+-]*)`, 'gi'), `$1"${MASK}"`],
  [new RegExp(`((?:^|[?&#\\s])(?:${KEY}|code|state)=)[^&#\\s"'<>]+`, 'gi'), `$1${MASK}`],
  // The password of a URL.
  [/(:(?:\\?\/){2}[^\s/?#:@"'<>]*:)[^\s/?#@"'<>]+(?=@)/g, `$1${MASK}`],
];

const maskPatterns = (text: string): string =>
  PATTERNS.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), text);
