import { UsageError } from '../../outcome.ts';
import { parseHosts } from '../deliveries/targets.ts';
import { DIALECT_CHOICES, findNearestWord, parseDialect, type ServiceDialect } from '../dialect.ts';
import { DOCUMENTED_LIMITS, type RequestLimits } from '../limits.ts';
import type { SandboxOptions } from './types.ts';

/** Reads what a caller asks for; callers without types misspell. */

const createUnknownNameError = (kind: string, name: string, knownNames: readonly string[]): UsageError => {
  const suggestion = findNearestWord(name, knownNames);
  const hint = `${suggestion === undefined ? '' : `Did you mean ${suggestion}? `}Known: ${knownNames.join(', ')}.`;
  return new UsageError(`unknown ${kind}: ${name}`, { hint });
};

/** @throws UsageError for a name that is not among the known ones, with a suggestion */
export const requireKnown = (kind: string, value: object, knownNames: readonly string[]): void => {
  const unknownName = Object.keys(value).find((name) => !knownNames.includes(name));
  if (unknownName !== undefined) throw createUnknownNameError(kind, unknownName, knownNames);
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

const readWholeNumber = (name: string, value: unknown): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new UsageError(`${name} must be a whole number: ${String(value)}`);
};

const readLimits = (limits: SandboxOptions['limits']): RequestLimits | 'off' => {
  if (limits === undefined || limits === 'documented') return DOCUMENTED_LIMITS;
  if (limits === 'off') return 'off';
  if (typeof limits !== 'object' || limits === null)
    throw createUnknownNameError('limits', String(limits), ['documented', 'off']);
  requireKnown('limit', limits, Object.keys(DOCUMENTED_LIMITS));
  const entries = Object.entries(limits).map(([name, value]) => [name, readWholeNumber(name, value)]);
  return { ...DOCUMENTED_LIMITS, ...Object.fromEntries(entries) };
};

const readDialect = (dialect: SandboxOptions['dialect']): ServiceDialect => {
  if (dialect === undefined || typeof dialect === 'string') return parseDialect(dialect ?? '');
  requireKnown('dialect', dialect, Object.keys(DIALECT_CHOICES));
  return parseDialect(
    Object.entries(dialect)
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
export const chooseOptions = (options: SandboxOptions): ChosenOptions => {
  requireKnown('option', options, Object.keys(OPTIONS));
  return {
    ...options,
    limits: readLimits(options.limits),
    dialect: readDialect(options.dialect),
    allowWebhooksTo: parseHosts(options.allowWebhooksTo ?? []),
    seedNumber: readWholeNumber('seedNumber', options.seedNumber ?? 1),
  };
};
