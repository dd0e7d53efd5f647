import { find, fullName } from '../../state.ts';
import type { Space } from '../../world.ts';
import { html, type Markup } from '../html.ts';
import { type Column, type Place, recordUrl } from './kind.ts';
import { text } from './pieces.ts';

/** Names in place of ids, with the way to what they name. */

export const nameOf = ({ world }: Place, user: number): string => {
  const person = find(world.users, user);
  return fullName(person) || person?.email || String(user);
};

export const person = (place: Place, user: number): Markup =>
  find(place.space.members, user) === undefined
    ? text(nameOf(place, user))
    : html`<a href="${recordUrl('people', place.space, user)}"><bdi>${nameOf(place, user)}</bdi></a>`;

export const project = ({ space }: Place, id: number | null): Markup => {
  const found = id === null ? undefined : find(space.projects, id);
  if (found === undefined) return text(id);
  return html`<a href="${recordUrl('projects', space, found.id)}"><bdi>${found.name}</bdi></a>`;
};

export const projectName = (space: Space, id: number | null): string =>
  id === null ? '' : (find(space.projects, id)?.name ?? '');

export const emailOf = ({ world }: Place, user: number): string => find(world.users, user)?.email ?? '';

/** What rows about a person have in common. */
export const whose = <T extends { readonly user_id: number }>(title = 'Person'): Column<T> => ({
  title,
  show: (row, place) => person(place, row.user_id),
});

export const who = (row: { readonly user_id: number }, place: Place): string =>
  `${nameOf(place, row.user_id)} ${emailOf(place, row.user_id)}`;

export const span = (from: string, to: string): Markup => html`<span class="nowrap">${from} to ${to}</span>`;
