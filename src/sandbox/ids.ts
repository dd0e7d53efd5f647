import type { ServiceDialect } from './dialect.ts';

/**
 * Text ids as the dialect shows them. The state keeps UUIDs; `opaque` shows the same bits as `r` and 22
 * characters of base64url, so that a client cannot take the form of an id for granted.
 */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const toOutwardId = (dialect: ServiceDialect, id: string): string =>
  dialect.ids === 'uuid' || !UUID.test(id)
    ? id
    : `r${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`;

/** The state's id for one that a request sent; what is no id stays, and is then not found. */
export const toInwardId = (dialect: ServiceDialect, id: string): string => {
  if (dialect.ids === 'uuid' || !/^r[A-Za-z0-9_-]{22}$/.test(id)) return id;
  const hex = Buffer.from(id.slice(1), 'base64url').toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
