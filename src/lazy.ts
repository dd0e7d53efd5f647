/** Makes a value at its first use, and once. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** An object whose members are made at their first use, and once. */
export function lazyMembers<const M extends Readonly<Record<string, () => unknown>>>(
  makers: M,
): { readonly [Name in keyof M]: ReturnType<M[Name]> } {
  const whole = {};
  for (const [name, make] of Object.entries(makers)) {
    Object.defineProperty(whole, name, { enumerable: true, get: lazy(make) });
  }
  return whole as { readonly [Name in keyof M]: ReturnType<M[Name]> };
}
