import { type Transport, writes } from './transport.ts';

/** Lets reads pass; a write waits for `permit`, which rejects to refuse it. For a profile that is set `protected`. */
export const permitting =
  (next: Transport, permit: () => Promise<void>): Transport =>
  async (request) => {
    if (writes(request.method)) await permit();
    return next(request);
  };
