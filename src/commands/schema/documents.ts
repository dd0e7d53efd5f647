import { UsageError } from '../../outcome.ts';

/** The documents that `ttctl schema` prints of no single command, by their flags. */

const DOCUMENTS = ['openapi', 'error-schema', 'result-schema', 'job-schema', 'log-schema'];

const toOptionKey = (flag: string): string => flag.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * @param path names of the command that is asked for
 * @returns undefined where a command is asked for
 * @throws UsageError for two at once
 */
export const findDocument = async (
  path: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<unknown> => {
  const isGiven = (flag: string): boolean => options[toOptionKey(flag)] === true;
  const [flag, other] = [...DOCUMENTS, 'output-schema'].filter(isGiven);
  if (flag === undefined || flag === 'output-schema') return undefined;
  if (other !== undefined) throw new UsageError(`--${flag} cannot be used with --${other}`);
  if (path.length > 0) throw new UsageError(`--${flag} takes no command`);
  if (flag === 'openapi') return (await import('../../api/openapi-document.ts')).buildOpenApiDocument();
  return (await import('./schemas.ts')).COMMON_SCHEMAS[flag]?.();
};
