import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { buildOpenApiDocument } from '../../src/api/openapi-document.ts';
import type { Exchange } from './sandbox-server.ts';

/** Checks answers against the OpenAPI document, as any other program with that document would. */

const BASE = 'https://document.invalid/';

const pointer = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

interface Responses {
  readonly [status: string]: { readonly $ref?: string } | undefined;
}

/** What is wrong with an answer; undefined when nothing is. An answer of no operation is not looked at. */
export const responseChecker = (): ((
  exchange: Pick<Exchange, 'route' | 'status' | 'body'>,
) => string | undefined) => {
  // Formats are promises of the document that no service keeps to the letter; types are what counts.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const document = buildOpenApiDocument();
  ajv.addSchema({ $id: BASE, ...document });
  const known = new Map<string, ValidateFunction | undefined>();

  const validatorOf = (route: string, status: number): ValidateFunction | undefined => {
    const [method = '', path = ''] = route.split(' ');
    const at = ['paths', path, method.toLowerCase(), 'responses'];
    const responses = at.reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], document);
    const response = (responses as Responses)[String(status)];
    if (response === undefined) return undefined;
    const where = response.$ref?.slice(1) ?? pointer(...at, String(status));
    return ajv.getSchema(`${BASE}#${where}${pointer('content', 'application/json', 'schema')}`);
  };

  return ({ route, status, body }) => {
    if (route === undefined) return undefined;
    const key = `${route} ${status}`;
    if (!known.has(key)) known.set(key, validatorOf(route, status));
    const validate = known.get(key);
    if (validate === undefined) return 'the document has no such answer';
    return validate(JSON.parse(body)) ? undefined : ajv.errorsText(validate.errors);
  };
};
