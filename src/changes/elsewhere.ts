import type { Api, Call } from '../api/client.ts';
import { textOf } from '../json/text.ts';

type Verbs = Readonly<Record<string, (values: object, extra: object) => Call>>;

/**
 * The client for the look-ups of a write: one that brings its own `workspace_id` (`--field`, `--input`) is looked for
 * in that workspace, and not in the one of the run.
 */
export const lookingFor = (api: Api, { values: { workspace_id: own } }: Pick<Call, 'values'>): Api => {
  if (own === undefined) return api;
  const extra = { query: [['workspace_id', textOf(own)]], body: {}, input: {} };
  const verbsOf = (verbs: Verbs): Verbs =>
    new Proxy(verbs, { get: (all, verb) => (values: object) => all[String(verb)]?.(values, extra) });
  return new Proxy(api, { get: (nouns, noun) => verbsOf(Reflect.get(nouns, noun)) });
};
