/** Members of a delivery in JSON: common to all views, in a list, as it is received, and in detail. */

const commonFields = ['id', 'event', 'received_at', 'size', 'signature', 'signature_detail', 'path'];
const bodyFields = ['payload', 'text', 'base64'];

export const listFields = [...commonFields, 'summary', 'key'];
export const liveFields = [...commonFields, 'repeat', 'forward', 'exec', 'summary', ...bodyFields];
export const detailFields = [...commonFields, 'key', 'method', 'headers', ...bodyFields];
