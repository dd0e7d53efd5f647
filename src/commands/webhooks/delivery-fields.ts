/** Members of a delivery in JSON: common to all views, in a list, as it is received, and in detail. */

const commonFields = ['id', 'event', 'received_at', 'size', 'signature', 'signature_detail', 'path'];
/** How far it is forwarded. */
const progressFields = ['state', 'attempts', 'next_attempt_at', 'last_error'];
const bodyFields = ['payload', 'text', 'base64'];

export const listFields = [...commonFields, ...progressFields, 'summary', 'key'];
export const liveFields = [
  ...[...commonFields, 'key', 'repeat', ...progressFields, 'forward', 'exec', 'summary'],
  ...bodyFields,
];
export const detailFields = [...commonFields, ...progressFields, 'key', 'method', 'headers', ...bodyFields];
