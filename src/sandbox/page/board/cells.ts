import { findRecord, formatFullName } from '../../state.ts';
import type { Workspace } from '../../world.ts';
import { html, type Markup } from '../html.ts';
import { type BoardColumn, type BoardContext, buildRecordUrl } from './kind.ts';
import { renderText } from './markup.ts';

/** Names in place of ids, with the way to what they name. */

export const formatUserName = ({ world }: BoardContext, user: number): string => {
  const person = findRecord(world.users, user);
  return formatFullName(person) || person?.email || String(user);
};

const renderPerson = (context: BoardContext, user: number): Markup =>
  findRecord(context.workspace.members, user) === undefined
    ? renderText(formatUserName(context, user))
    : html`<a href="${buildRecordUrl('people', context.workspace, user)}"><bdi>${formatUserName(context, user)}</bdi></a>`;

export const renderProject = ({ workspace }: BoardContext, id: number | null): Markup => {
  const project = id === null ? undefined : findRecord(workspace.projects, id);
  if (project === undefined) return renderText(id);
  return html`<a href="${buildRecordUrl('projects', workspace, project.id)}"><bdi>${project.name}</bdi></a>`;
};

export const formatProjectName = (workspace: Workspace, id: number | null): string =>
  id === null ? '' : (findRecord(workspace.projects, id)?.name ?? '');

export const getUserEmail = ({ world }: BoardContext, user: number): string =>
  findRecord(world.users, user)?.email ?? '';

/** What rows about a person have in common. */
export const createOwnerColumn = <T extends { readonly user_id: number }>(
  title = 'Person',
): BoardColumn<T> => ({
  title,
  show: (row, context) => renderPerson(context, row.user_id),
});

export const formatOwner = (row: { readonly user_id: number }, context: BoardContext): string =>
  `${formatUserName(context, row.user_id)} ${getUserEmail(context, row.user_id)}`;

export const renderSpan = (from: string, to: string): Markup =>
  html`<span class="nowrap">${from} to ${to}</span>`;
