import { quoteText, UsageError } from '../outcome.ts';

/** An id that is not of the service, which judges its own. An unset variable of a script is none. @throws UsageError */
export const checkLocalId = (noun: string, id: string, hint: string): void => {
  if (id.trim() === '') throw new UsageError(`${quoteText(id)} cannot be the id of a ${noun}`, { hint });
};
