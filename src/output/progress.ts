import type { Clock } from '../clock.ts';
import { safeCell } from './safe-text.ts';
import type { Sink } from './sink.ts';
import { prepareWidths, truncateText } from './terminal.ts';

interface ProgressOptions {
  readonly stderr: Sink;
  /** No progress with `--quiet` or in CI. In a pipe there is none in any case. */
  readonly enabled: boolean;
  readonly width: number;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}

const ERASE = '\r\x1b[2K';
const TICK_MS = 250;
const DELAY_MS = 1_000;
/** The seconds in a text that says how long something takes; counted down as time passes. */
const SECONDS = /\d+(?= s\b)/;

/** Long work as one line on a terminal, drawn again and again until the work has ended. In a pipe: nothing. */
export class ProgressIndicator {
  readonly visible: boolean;
  readonly #options: ProgressOptions;
  readonly #works = new Set<{ words: () => string; since: number }>();
  #holders = 0;
  #wait = { reason: '', until: 0 };
  #isDrawn = false;
  #turn = 0;
  #over: AbortController | undefined;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.visible = options.enabled && options.stderr.isTTY;
  }

  async during<T>(words: () => string, run: () => Promise<T>): Promise<T> {
    if (!this.visible) return run();
    const work = { words, since: this.#options.clock.now() };
    this.#works.add(work);
    if (this.#over === undefined) {
      this.#over = new AbortController();
      void this.#tick(this.#over.signal);
    }
    try {
      return await run();
    } finally {
      this.#works.delete(work);
      if (this.#works.size === 0) {
        this.#over.abort();
        this.#over = undefined;
      }
      this.clear();
    }
  }

  /** Why nothing happens: `waiting 12 s for the rate limit`. False where no line can be shown that says it. */
  readonly reportWait = (why: string): boolean => {
    if (!this.visible) return false;
    const seconds = Number(SECONDS.exec(why)?.[0] ?? 0);
    this.#wait = { reason: why, until: this.#options.clock.now() + 1000 * seconds };
    if (this.#works.size === 0 && this.#holders === 0) void this.#draw(why);
    return true;
  };

  /** While a question has the terminal nothing is drawn. The answer ends that. */
  hold(): () => void {
    this.#holders += 1;
    this.clear();
    return () => {
      this.#holders -= 1;
    };
  }

  clear(): void {
    this.#turn += 1;
    if (this.#isDrawn) this.#write(ERASE);
    this.#isDrawn = false;
  }

  async #tick(end: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!end.aborted) {
      const [work] = this.#works;
      if (work !== undefined && this.#holders === 0 && clock.now() - work.since >= DELAY_MS) {
        const { reason, until } = this.#wait;
        const seconds = Math.ceil((until - clock.now()) / 1000);
        const wait = seconds > 0 ? `; ${reason.replace(SECONDS, String(seconds))}` : '';
        void this.#draw(work.words() + wait);
      }
      await clock.sleep(TICK_MS, end).catch(() => undefined);
    }
  }

  async #draw(text: string): Promise<void> {
    this.#isDrawn = true;
    this.#turn += 1;
    const turn = this.#turn;
    const shown = safeCell(text);
    await prepareWidths([shown]);
    // Something else has been written, or a newer text drawn, meanwhile.
    if (turn === this.#turn)
      this.#write(ERASE + truncateText(shown, this.#options.width - 1, { unicode: false }));
  }

  #write(text: string): void {
    void this.#options.stderr.write(text).catch(() => undefined);
  }
}
