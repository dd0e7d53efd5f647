/** What support modules do at the end of each test file: test files share their worker, and each module runs once in it. */

const always: (() => unknown)[] = [];
const once: (() => unknown)[] = [];

/** Of a module: at the end of every file. */
export const atFileEnd = (work: () => unknown): void => {
  always.push(work);
};

/** Of a test: at the end of its file. */
export const atThisFileEnd = (work: () => unknown): void => {
  once.push(work);
};

export const endFile = async (): Promise<void> => {
  const works = [...once.splice(0), ...always];
  for (const work of works) await work();
};
