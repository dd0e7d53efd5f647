import { isRecord } from '../json/number.ts';
import { type Delivery, parseBody } from './delivery.ts';

/** A delivery as the text of its file. */

export const textOfDelivery = ({ body, payload: _payload, ...facts }: Delivery): string =>
  `${JSON.stringify({ version: 1, ...facts, body: Buffer.from(body).toString('base64') })}\n`;

const isText = (value: unknown): value is string => typeof value === 'string';
const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isText);

/** Everything that is relied on, since others may have written the file. */
const isWhole = (value: Readonly<Record<string, unknown>>, key: string): boolean => {
  const { signature, headers, event, received_at: at } = value;
  return (
    value['version'] === 1 &&
    value['key'] === key &&
    [value['body'], value['id'], value['target'], value['method']].every(isText) &&
    (event === null || isText(event)) &&
    isText(at) &&
    !Number.isNaN(Date.parse(at)) &&
    isRecord(signature) &&
    isText(signature['state']) &&
    (signature['detail'] === undefined || isText(signature['detail'])) &&
    Array.isArray(headers) &&
    headers.every(isPair)
  );
};

/** Undefined for what is not whole. */
export const deliveryOfText = (text: string, key: string): Delivery | undefined => {
  const value = parseBody(Buffer.from(text));
  if (!isRecord(value) || !isWhole(value, key)) return undefined;
  const { version: _version, body: packed, ...facts } = value as unknown as Delivery & { version: 1 };
  const body = Buffer.from(String(packed), 'base64');
  return { ...facts, body, payload: parseBody(body) };
};
