import { UsageError } from '../outcome.ts';

/**
 * Ways in which services of this family differ where the documentation is silent or names two (docs/service.md).
 * The first value of each is the default.
 */
export const DIALECT_CHOICES = {
  pagination: ['meta', 'top', 'none'],
  created: ['documented', '200', '201'],
  invalid: ['400', '422'],
  ids: ['uuid', 'opaque'],
  empty: ['null', 'object'],
  unset: ['absent', 'null'],
  timestamp: ['micro', 'plain'],
  timesheets: ['documented', 'newer'],
  webhooks: ['documented', 'newer'],
  ignorePerPage: ['no', 'yes'],
  ignorePage: ['no', 'yes'],
} as const;

type DialectName = keyof typeof DIALECT_CHOICES;
export type ServiceDialect = { readonly [N in DialectName]: (typeof DIALECT_CHOICES)[N][number] };

export const DEFAULT_DIALECT: ServiceDialect = {
  pagination: 'meta',
  created: 'documented',
  invalid: '400',
  ids: 'uuid',
  empty: 'null',
  unset: 'absent',
  timestamp: 'micro',
  timesheets: 'documented',
  webhooks: 'documented',
  ignorePerPage: 'no',
  ignorePage: 'no',
};

const getDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The word of `words` that `word` was most likely meant to be, if one is near. */
export const findNearestWord = (word: string, words: readonly string[]): string | undefined => {
  const lowerWord = word.toLowerCase();
  const nearest = words
    .map((candidate) => ({ candidate, distance: getDistance(lowerWord, candidate.toLowerCase()) }))
    .sort((x, y) => x.distance - y.distance)[0];
  return nearest !== undefined && nearest.distance <= Math.max(2, Math.floor(word.length / 3))
    ? nearest.candidate
    : undefined;
};

const createUnknownWordError = (kind: string, word: string, words: readonly string[]): UsageError => {
  const suggestion = findNearestWord(word, words);
  const hint = `${suggestion === undefined ? '' : `Did you mean ${suggestion}? `}Known: ${words.join(', ')}.`;
  return new UsageError(`unknown ${kind}: ${word}`, { hint });
};

const isName = (name: string): name is DialectName => Object.hasOwn(DIALECT_CHOICES, name);

/** `ignore-page` is `ignorePage`. */
const toCamelCase = (word: string): string =>
  word.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());

/**
 * Reads `pagination=top,created=200`; a flag without a value (`ignorePage`) means `yes`.
 * @throws UsageError for an unknown name or value, with a suggestion.
 */
export const parseDialect = (text: string): ServiceDialect => {
  const choices: Record<string, string> = {};
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue;
    const [word = '', value = 'yes'] = part.split('=').map((piece) => piece.trim());
    const name = toCamelCase(word);
    if (!isName(name)) throw createUnknownWordError('dialect', name, Object.keys(DIALECT_CHOICES));
    const values: readonly string[] = DIALECT_CHOICES[name];
    if (!values.includes(value)) throw createUnknownWordError(`value of the dialect ${name}`, value, values);
    choices[name] = value;
  }
  return { ...DEFAULT_DIALECT, ...choices };
};
