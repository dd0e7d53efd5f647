import type { Call } from '../api/client.ts';
import type { WorkRow } from './run-rows.ts';

/** A target of a run. */

interface Write<V> {
  readonly values?: V;
  readonly call: (id: string, values: V) => Call;
}

export interface Target {
  /** As the person wrote it. */
  readonly name: string;
  readonly id: string;
  /** For the question. */
  readonly words: readonly string[];
}

export const callOf = <V>({ call, values }: Write<V>, id: string): Call => call(id, values as V);

/** A class: of many each takes little. */
export class TargetRow<V> implements WorkRow {
  readonly #target: Target;
  readonly #work: Write<V>;

  constructor(target: Target, work: Write<V>) {
    this.#target = target;
    this.#work = work;
  }

  get target(): string {
    return this.#target.name;
  }

  get key(): string {
    return this.#target.id;
  }

  get call(): Call {
    return callOf(this.#work, this.#target.id);
  }

  get columns(): Readonly<Record<string, string>> {
    return { id: this.#target.name };
  }
}
