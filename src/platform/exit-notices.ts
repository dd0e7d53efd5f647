import { Cancelled, type ExitCode, toFailureJson } from '../errors.ts';

/** What is said where a second signal ends the process at once: then nothing is waited for, and nothing looked up. */

export interface ExitNotice {
  readonly message: string;
  readonly hint: string;
}

export class ExitNotices {
  json = false;
  readonly #underWay = new Set<() => ExitNotice | undefined>();
  #heldCount = 0;

  get held(): boolean {
    return this.#heldCount > 0;
  }

  /**
   * @param getNotice asked when it comes to it; undefined while there is nothing to say
   * @param held whether one signal does not cut the work: a write on its way, a command that got the signal too
   */
  async during<T>(getNotice: () => ExitNotice | undefined, work: () => Promise<T>, held = false): Promise<T> {
    this.#underWay.add(getNotice);
    if (held) this.#heldCount += 1;
    try {
      return await work();
    } finally {
      this.#underWay.delete(getNotice);
      if (held) this.#heldCount -= 1;
    }
  }

  text(exit: ExitCode): string {
    // Of a job its own words are the first: they tell of all its rows.
    const notice = [...this.#underWay].map((getNotice) => getNotice()).find((words) => words !== undefined);
    if (notice === undefined) return '';
    const { message, hint } = notice;
    if (!this.json) return `error: ${message}\nhint: ${hint}\n`;
    return `${JSON.stringify({ error: toFailureJson(new Cancelled(message, exit, hint)) })}\n`;
  }
}
