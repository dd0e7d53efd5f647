import type { Row } from '../api/page.ts';
import { findResource } from '../resources/records.ts';

/** Fields that are not shown whole, by what their resource says of them. */

const MASK = '***';

/** @param operation its id: `webhooks.update` */
export const isSecretField = (operation: string, name: string): boolean => {
  const [noun = ''] = operation.split('.');
  return findResource(noun)?.fields[name]?.kind === 'secret';
};

/** @param operation its id */
export const maskSecretFields = (operation: string, record: Row): Row =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, isSecretField(operation, name) ? MASK : value]),
  );
