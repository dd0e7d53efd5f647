import { UsageError } from '../../outcome.ts';
import { parseHosts } from '../deliveries/targets.ts';
import { DIALECT_CHOICES, findNearestWord, parseDialect, type ServiceDialect } from '../dialect.ts';
import { DOCUMENTED_LIMITS, type RequestLimits } from '../limits.ts';
import type { SandboxOptions } from './types.ts';

/** Reads what a caller asks for; callers without types misspell. */

const wrongName = (what: string, name: string, known: readonly string[]): UsageError => {
  const meant = findNearestWord(name, known);
  const hint = `${meant === undefined ? '' : `Did you mean ${meant}? `}Known: ${known.join(', ')}.`;
  return new UsageError(`unknown ${what}: ${name}`, { hint });
};

/** @throws UsageError for a name that is not among the known ones, with a suggestion */
export const requireKnown = (what: string, given: object, known: readonly string[]): void => {
  const wrong = Object.keys(given).find((name) => !known.includes(name));
  if (wrong !== undefined) throw wrongName(what, wrong, known);
};

/** Every option, so that one that is forgotten here does not compile. */
const OPTIONS: Readonly<Record<keyof SandboxOptions, true>> = {
  seed: true,
  now: true,
  frozen: true,
  dialect: true,
  limits: true,
  autoApprove: true,
  allowWebhooksTo: true,
  seedNumber: true,
};

const wholeNumber = (name: string, value: unknown): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new UsageError(`${name} must be a whole number: ${String(value)}`);
};

const limitsOf = (given: SandboxOptions['limits']): RequestLimits | 'off' => {
  if (given === undefined || given === 'documented') return DOCUMENTED_LIMITS;
  if (given === 'off') return 'off';
  if (typeof given !== 'object' || given === null)
    throw wrongName('limits', String(given), ['documented', 'off']);
  requireKnown('limit', given, Object.keys(DOCUMENTED_LIMITS));
  const entries = Object.entries(given).map(([name, value]) => [name, wholeNumber(name, value)]);
  return { ...DOCUMENTED_LIMITS, ...Object.fromEntries(entries) };
};

const dialectOf = (given: SandboxOptions['dialect']): ServiceDialect => {
  if (given === undefined || typeof given === 'string') return parseDialect(given ?? '');
  requireKnown('dialect', given, Object.keys(DIALECT_CHOICES));
  return parseDialect(
    Object.entries(given)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
  );
};

export interface ChosenOptions extends SandboxOptions {
  readonly limits: RequestLimits | 'off';
  readonly dialect: Required<ServiceDialect>;
  readonly allowWebhooksTo: readonly string[];
  readonly seedNumber: number;
}

/** @throws UsageError for an option or value that is not known */
export const chooseOptions = (given: SandboxOptions): ChosenOptions => {
  requireKnown('option', given, Object.keys(OPTIONS));
  return {
    ...given,
    limits: limitsOf(given.limits),
    dialect: dialectOf(given.dialect),
    allowWebhooksTo: parseHosts(given.allowWebhooksTo ?? []),
    seedNumber: wholeNumber('seedNumber', given.seedNumber ?? 1),
  };
};
