import type { Parameter } from '../api/operation.ts';

/** `Regular User` → `regular-user`. */
export const toKebabCase = (choice: string): string => choice.toLowerCase().replaceAll(' ', '-');

/** The words that a parameter takes, as people write them; none where it takes others too. */
export const listChoices = (parameter: Parameter): readonly string[] =>
  parameter.choices?.map(toKebabCase) ?? Object.keys(parameter.words ?? {});
