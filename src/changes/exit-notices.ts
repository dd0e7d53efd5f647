import { Cancelled, type ExitCode, toFailureJson } from '../outcome.ts';

/** What is said where a second signal ends the process at once: then nothing is waited for, and nothing looked up. */

export interface ExitNotice {
  readonly message: string;
  readonly hint: string;
}

export interface ExitNotices {
  json: boolean;
  /**
   * @param getNotice asked when it comes to it; undefined while there is nothing to say
   * @param held whether one signal does not cut the work: a write on its way, a command that got the signal too
   */
  during<T>(getNotice: () => ExitNotice | undefined, work: () => Promise<T>, held?: boolean): Promise<T>;
  /** Whether there is work that one signal does not cut. */
  readonly held: boolean;
  /** Lines for stderr; `''` where there is nothing to say. */
  text(exit: ExitCode): string;
}

export const createExitNotices = (): ExitNotices => {
  const underWay = new Set<() => ExitNotice | undefined>();
  let heldCount = 0;
  return {
    json: false,
    async during(getNotice, work, held = false) {
      underWay.add(getNotice);
      if (held) heldCount += 1;
      try {
        return await work();
      } finally {
        underWay.delete(getNotice);
        if (held) heldCount -= 1;
      }
    },
    get held() {
      return heldCount > 0;
    },
    text(exit) {
      // Of a job its own words are the first: they tell of all its rows.
      const notice = [...underWay].map((getNotice) => getNotice()).find((words) => words !== undefined);
      if (notice === undefined) return '';
      const { message, hint } = notice;
      if (!this.json) return `error: ${message}\nhint: ${hint}\n`;
      return `${JSON.stringify({ error: toFailureJson(new Cancelled(message, exit, hint)) })}\n`;
    },
  };
};
