import { toText } from '../json/stringify.ts';
import {
  ARCHIVED,
  boolean,
  date,
  datetime,
  defineResource,
  findState,
  integer,
  isArchived,
  number,
  person,
  state,
  text,
  timestamps,
  uri,
  withDisplay,
} from './resource.ts';

export const OWNER = 'Owner';
export const PROJECT_VIEWER = 'Project viewer';
const EXECUTIVE_MANAGER = 'Executive manager';
/** Whom nobody named: without the owner a workspace could not go on. Whether the service refuses that is not known. */
export const isOfferedToArchive = (row: Readonly<Record<string, unknown>>): boolean =>
  !isArchived(row) && row['current_role'] !== OWNER;

/** Roles that may use the API (docs/service.md, Access). */
export const API_ROLES: readonly unknown[] = [OWNER, EXECUTIVE_MANAGER];

export const ROLES = [
  OWNER,
  PROJECT_VIEWER,
  EXECUTIVE_MANAGER,
  'Team manager',
  'Project manager',
  'Regular User',
] as const;
export const ASSIGNABLE_ROLES = [
  'Regular User',
  'Project manager',
  'Team manager',
  EXECUTIVE_MANAGER,
  PROJECT_VIEWER,
] as const;
/** Whether others see a member's rate. */
export const RATE_STATUS = { hidden: 0, visible: 1 } as const;

export const member = defineResource({
  noun: 'members',
  words: ['member', 'members'],
  states: ['active', 'inactive', 'left', 'unknown'],
  shownAs: { role: 'current_role', remove_avatar: 'avatar' },
  fields: {
    id: integer,
    ...person,
    avatar: text,
    current_role: withDisplay(text, { title: 'role', values: ROLES }),
    timezone: withDisplay(text, { title: 'time zone' }),
    status: state,
    team_name: withDisplay(text, { title: 'team' }),
    title: text,
    birth_date: date,
    hired_at: withDisplay(datetime, { title: 'hired', kind: 'date' }),
    preferred_timezone: withDisplay(text, { title: 'preferred time zone' }),
    settings_max_inactive_minutes: withDisplay(integer, { title: 'maximum inactive minutes' }),
    currency: text,
    rate: withDisplay(number, { kind: 'money' }),
    rate_type: text,
    rate_status: withDisplay(integer, { title: 'rate from', words: RATE_STATUS }),
    tax_country: text,
    tax_state: text,
    is_blocked: withDisplay(boolean, { title: 'blocked' }),
    weekly_hours_limit: withDisplay(integer, { title: 'hours a week' }),
    screenshots: text,
    ...timestamps,
  },
});
/** In a word why a member does no work: `archived`, `gone`, `inactive`; undefined where nothing says so. */
export const explainAbsence = (row: Readonly<Record<string, unknown>>): string | undefined => {
  if (isArchived(row)) return ARCHIVED;
  const state = findState(member, row);
  if (state === 'left') return 'gone';
  const isUnsaid = typeof row.status !== 'string' || state === 'active' || state === 'unknown';
  return isUnsaid ? undefined : (state ?? toText(row.status));
};

export const invitationFields = { user_id: integer, invitation_link: uri } as const;
