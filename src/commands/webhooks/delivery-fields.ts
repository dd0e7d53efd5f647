/** Members of a delivery in JSON: of every one, in a list, as it comes in, and whole. */

const facts = ['id', 'event', 'received_at', 'size', 'signature', 'signature_detail', 'path'];
const body = ['payload', 'text', 'base64'];

export const listFields = [...facts, 'summary', 'key'];
export const liveFields = [...facts, 'repeat', 'forward', 'exec', 'summary', ...body];
export const wholeFields = [...facts, 'key', 'method', 'headers', ...body];
