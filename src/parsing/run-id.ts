/** No vowels, so that no words result. */
const LETTERS = 'bcdfghjkmnpqrstvwxz';
/** So many that two processes hardly choose the same in one minute: nothing is reserved. */
const UNRESERVED_LETTERS = 8;

/** Id of a run: `20261121-1257-kfmqrtzb`. */
export const createRunId = (
  clock: { now(): number; random(): number },
  letters = UNRESERVED_LETTERS,
): string => {
  const time = new Date(clock.now()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
  const letter = () => LETTERS[Math.floor(clock.random() * LETTERS.length)];
  return `${time}-${Array.from({ length: letters }, letter).join('')}`;
};
