import { asMarkup, html, type Markup } from '../html.ts';

/** Tables of the page: one that is wider than its room is moved sideways, and is reached with the keyboard. */

export interface TableHead {
  readonly title: string;
  /** The higher, the earlier it is left out on a narrow screen. */
  readonly drop?: 1 | 2 | 3;
  readonly number?: true;
}

const getClass = ({ drop, number }: TableHead): string =>
  [number === true ? 'number' : '', drop === undefined ? '' : `drop${drop}`].join(' ').trim();

const renderClass = (head: TableHead): Markup => {
  const name = getClass(head);
  return asMarkup(name === '' ? '' : ` class="${name}"`);
};

const renderCell = (head: TableHead, cell: Markup, index: number): Markup =>
  index === 0
    ? html`<th scope="row"${renderClass(head)}>${cell}</th>`
    : html`<td${renderClass(head)}>${cell}</td>`;

/**
 * @param label what the table is of, for those who do not see it
 * @param empty what is said where it has no rows
 */
export const renderTable = (
  label: string,
  heads: readonly TableHead[],
  rows: readonly (readonly Markup[])[],
  empty: string,
): Markup => {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const body = rows.map(
    (cells) =>
      html`<tr>${heads.map((head, index) => renderCell(head, cells[index] ?? html``, index))}</tr>\n`,
  );
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col"${renderClass(head)}>${head.title}</th>`)}</tr></thead>
<tbody>
${body}</tbody></table></div>`;
};
