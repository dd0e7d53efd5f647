import type { InputCell, InputRow } from '../../context.ts';
import type { CompactRows } from './compact-rows.ts';
import type { CheckedValue, RowSchema, UnresolvedNames } from './row.ts';

/** A row that is held as its text alone. */

/** The kind under which targets are looked up. */
export const TARGET_COLUMN = 'target';

type IdsOf = (wanted: UnresolvedNames) => readonly string[];

export const resolveRowValues = (values: readonly CheckedValue[], ids: IdsOf): Record<string, unknown> =>
  Object.fromEntries(
    values.map(({ name, known, wanted }) => [
      name,
      wanted === undefined ? known : wanted.toValue(ids(wanted)),
    ]),
  );

/** Names and addresses that have been looked up; what is not among them is an id already. */
export interface ResolvedNames {
  idOf(kind: string, text: string): string;
  /** Targets that no record has, where these are passed over. */
  readonly missing: ReadonlySet<string>;
}

/** What all rows of a file share. */
export interface RowSet extends ResolvedNames {
  readonly held: CompactRows;
  readonly schema: RowSchema;
}

/** A checked row, made again from its text whenever its values are asked for. A class: of many each takes little. */
export class CompactRow implements InputRow {
  readonly target: string | undefined;
  readonly id: string | undefined;
  readonly number: number;
  readonly missing: boolean;
  readonly #rows: RowSet;
  readonly #index: number;

  constructor(rows: RowSet, index: number) {
    const { number, names, cells } = rows.held.at(index);
    const { target } = rows.schema.check(names, cells);
    this.#rows = rows;
    this.#index = index;
    this.number = number;
    this.target = target;
    this.id = target === undefined ? undefined : rows.idOf(TARGET_COLUMN, target);
    this.missing = target !== undefined && rows.missing.has(target);
  }

  values(): Record<string, unknown> {
    const { held, schema, idOf } = this.#rows;
    const { names, cells } = held.at(this.#index);
    const idsOf: IdsOf = ({ kind, texts }) => texts.map((text) => idOf(kind, text));
    return resolveRowValues(schema.check(names, cells).values, idsOf);
  }

  columns(): Readonly<Record<string, string>> {
    const { held, schema } = this.#rows;
    const { names, cells } = held.at(this.#index);
    return schema.texts(names, cells);
  }

  cells(): readonly InputCell[] | undefined {
    const { held, schema } = this.#rows;
    const { names, cells } = held.at(this.#index);
    return schema.cells(names, cells);
  }
}
