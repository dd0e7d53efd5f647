import { takeTurn } from '../clock.ts';
import type { OpenResult, SendResult } from './send-result.ts';

type Settle = (
  open: readonly OpenResult[],
  settle: (sent: OpenResult, final: SendResult) => Promise<void>,
) => Promise<void>;

interface Waiting {
  readonly resolve: (final: SendResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The rows of a run whose outcome is still open. They are looked at together when nothing else can be sent: so the
 * others go on meanwhile, and the looks take list pages in place of a request for each.
 */
export class OpenRows {
  readonly #settle: Settle;
  readonly #waiting = new Map<OpenResult, Waiting>();
  #active = 0;
  #isSettling = false;

  constructor(settle: Settle) {
    this.#settle = settle;
  }

  /** Counts a row that is on its way. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#active += 1;
    try {
      return await work();
    } finally {
      this.#active -= 1;
      void this.#settleWhenIdle();
    }
  }

  /** @returns its final result */
  add(sent: OpenResult): Promise<SendResult> {
    return new Promise((resolve, reject) => void this.#waiting.set(sent, { resolve, reject }));
  }

  async #settleWhenIdle(): Promise<void> {
    // A row that has ended may let another begin.
    await takeTurn();
    if (this.#active > 0 || this.#isSettling || this.#waiting.size === 0) return;
    this.#isSettling = true;
    const open = [...this.#waiting.keys()];
    try {
      await this.#settle(open, async (sent, final) => this.#take(sent)?.resolve(final));
    } catch (error) {
      for (const sent of open) this.#take(sent)?.reject(error);
    }
    this.#isSettling = false;
    void this.#settleWhenIdle();
  }

  #take(sent: OpenResult): Waiting | undefined {
    const waiting = this.#waiting.get(sent);
    this.#waiting.delete(sent);
    return waiting;
  }
}
