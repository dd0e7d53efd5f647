import { findRecord, formatFullName } from '../../state.ts';
import type { Space } from '../../world.ts';
import { html, type Markup } from '../html.ts';
import { type BoardColumn, type BoardContext, buildRecordUrl } from './kind.ts';
import { renderText } from './markup.ts';

/** Names in place of ids, with the way to what they name. */

export const formatUserName = ({ world }: BoardContext, user: number): string => {
  const person = findRecord(world.users, user);
  return formatFullName(person) || person?.email || String(user);
};

const renderPerson = (place: BoardContext, user: number): Markup =>
  findRecord(place.space.members, user) === undefined
    ? renderText(formatUserName(place, user))
    : html`<a href="${buildRecordUrl('people', place.space, user)}"><bdi>${formatUserName(place, user)}</bdi></a>`;

export const renderProject = ({ space }: BoardContext, id: number | null): Markup => {
  const found = id === null ? undefined : findRecord(space.projects, id);
  if (found === undefined) return renderText(id);
  return html`<a href="${buildRecordUrl('projects', space, found.id)}"><bdi>${found.name}</bdi></a>`;
};

export const formatProjectName = (space: Space, id: number | null): string =>
  id === null ? '' : (findRecord(space.projects, id)?.name ?? '');

export const getUserEmail = ({ world }: BoardContext, user: number): string =>
  findRecord(world.users, user)?.email ?? '';

/** What rows about a person have in common. */
export const createOwnerColumn = <T extends { readonly user_id: number }>(
  title = 'Person',
): BoardColumn<T> => ({
  title,
  show: (row, place) => renderPerson(place, row.user_id),
});

export const formatOwner = (row: { readonly user_id: number }, place: BoardContext): string =>
  `${formatUserName(place, row.user_id)} ${getUserEmail(place, row.user_id)}`;

export const renderSpan = (from: string, to: string): Markup =>
  html`<span class="nowrap">${from} to ${to}</span>`;
