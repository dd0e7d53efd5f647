/** What support modules do at the end of each test file: test files share their worker, and each module runs once in it. */

const works: (() => void)[] = [];

export const atFileEnd = (work: () => void): void => {
  works.push(work);
};

export const endFile = (): void => {
  for (const work of works) work();
};
