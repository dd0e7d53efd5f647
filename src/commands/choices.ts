import type { Parameter } from '../api/operation.ts';

/** `Regular User` → `regular-user`. */
export const kebabWord = (choice: string): string => choice.toLowerCase().replaceAll(' ', '-');

/** The words that a parameter takes, as people write them; none where it takes others too. */
export const choicesOf = (parameter: Parameter): readonly string[] =>
  parameter.choices?.map(kebabWord) ?? Object.keys(parameter.words ?? {});
