import type { Transport } from './transport.ts';

/**
 * Waits for what a request wants done just before it goes out (a journal's line on the disk). The last link before
 * the wire: whatever else a request waits for, it has waited for.
 */
export const withBeforeSend =
  (next: Transport): Transport =>
  async (request) => {
    await request.beforeSend?.();
    return next(request);
  };
