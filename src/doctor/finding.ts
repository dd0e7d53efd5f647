export interface Finding {
  /** `credential`, `clock` … */
  readonly check: string;
  /** `warning`: it works, and soon may not. `problem`: something does not work. */
  readonly state: 'ok' | 'warning' | 'problem';
  /** What was found; nothing secret. */
  readonly found: string;
  /** What to do about it; `null` where nothing is to be done. */
  readonly advice: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: null });
export const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warning',
  found,
  advice,
});
export const problem = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'problem',
  found,
  advice,
});
