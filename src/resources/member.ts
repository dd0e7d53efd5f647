import { textOf } from '../json/text.ts';
import {
  boolean,
  date,
  datetime,
  integer,
  number,
  person,
  shown,
  state,
  text,
  timestamps,
  uri,
} from './fields.ts';
import { ARCHIVED, isArchived, resource } from './resource.ts';

export const ROLES = [
  'Owner',
  'Project viewer',
  'Executive manager',
  'Team manager',
  'Project manager',
  'Regular User',
] as const;
export const ASSIGNABLE_ROLES = [
  'Regular User',
  'Project manager',
  'Team manager',
  'Executive manager',
  'Project viewer',
] as const;
/** Whether others see a member's rate. */
export const RATE_STATUS = { hidden: 0, visible: 1 } as const;

export const member = resource({
  noun: 'members',
  words: ['member', 'members'],
  states: ['active', 'inactive', 'left', 'unknown'],
  fields: {
    id: integer,
    ...person,
    avatar: text,
    current_role: shown(text, { title: 'role' }),
    timezone: shown(text, { title: 'time zone' }),
    status: state,
    team_name: shown(text, { title: 'team' }),
    title: text,
    birth_date: date,
    hired_at: shown(datetime, { title: 'hired', kind: 'date' }),
    preferred_timezone: shown(text, { title: 'preferred time zone' }),
    settings_max_inactive_minutes: shown(integer, { title: 'inactive minutes at most' }),
    currency: text,
    rate: shown(number, { kind: 'money' }),
    rate_type: text,
    rate_status: shown(integer, { title: 'rate from', words: RATE_STATUS }),
    tax_country: text,
    tax_state: text,
    is_blocked: shown(boolean, { title: 'blocked' }),
    weekly_hours_limit: shown(integer, { title: 'hours a week' }),
    screenshots: text,
    ...timestamps,
  },
});
/** In a word why a member does no work: `archived`, `gone`, `inactive`; undefined where nothing says so. */
export const whyAway = (row: Readonly<Record<string, unknown>>): string | undefined => {
  if (isArchived(row)) return ARCHIVED;
  const state = member.states.find((word) => word === row.status);
  if (state === 'left') return 'gone';
  const isUnsaid = typeof row.status !== 'string' || state === 'active' || state === 'unknown';
  return isUnsaid ? undefined : textOf(row.status);
};

export const invitationFields = { user_id: integer, invitation_link: uri } as const;
