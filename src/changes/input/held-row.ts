import type { SheetRow } from '../../context.ts';
import type { Held } from './held.ts';
import type { CheckedValue, Schema, Wanted } from './row.ts';

/** A row that is held as its text alone. */

/** The kind under which targets are looked up. */
export const TARGET = 'target';

type IdsOf = (wanted: Wanted) => readonly string[];

export const valuesOf = (values: readonly CheckedValue[], ids: IdsOf): Record<string, unknown> =>
  Object.fromEntries(
    values.map(({ name, known, wanted }) => [
      name,
      wanted === undefined ? known : wanted.toValue(ids(wanted)),
    ]),
  );

/** Names and addresses that have been looked up; what is not among them is an id already. */
export interface Found {
  idOf(kind: string, text: string): string;
}

/** What all rows of a file share. */
export interface Rows {
  readonly held: Held;
  readonly schema: Schema;
  readonly idOf: Found['idOf'];
}

/** A checked row, made again from its text whenever its values are asked for. A class: of many each takes little. */
export class HeldRow implements SheetRow {
  readonly target: string | undefined;
  readonly id: string | undefined;
  readonly number: number;
  readonly #rows: Rows;
  readonly #index: number;

  constructor(rows: Rows, index: number) {
    const { number, names, cells } = rows.held.at(index);
    const { target } = rows.schema.check(names, cells);
    this.#rows = rows;
    this.#index = index;
    this.number = number;
    this.target = target;
    this.id = target === undefined ? undefined : rows.idOf(TARGET, target);
  }

  values(): Record<string, unknown> {
    const { held, schema, idOf } = this.#rows;
    const { names, cells } = held.at(this.#index);
    const idsOf: IdsOf = ({ kind, texts }) => texts.map((text) => idOf(kind, text));
    return valuesOf(schema.check(names, cells).values, idsOf);
  }

  columns(): Readonly<Record<string, string>> {
    const { held, schema } = this.#rows;
    const { names, cells } = held.at(this.#index);
    return schema.texts(names, cells);
  }
}
