/** Lists of scopes, as people write them: `read,write`, or with spaces. */

export const SCOPES = ['read', 'write', 'admin'];

/** In the order given, each once. */
export const parseScopes = (text: string): readonly string[] => [
  ...new Set(text.split(/[\s,]+/).filter((scope) => scope !== '')),
];

/** Why a text is no list of scopes, as the end of a sentence; `undefined` where it is one. */
export const findScopeProblem = (text: string): string | undefined => {
  const scopes = parseScopes(text);
  const wrong = scopes.find((scope) => !SCOPES.includes(scope));
  if (wrong !== undefined) return `has "${wrong}" in it; there are: ${SCOPES.join(', ')}`;
  return scopes.length === 0 ? 'names no scope' : undefined;
};
