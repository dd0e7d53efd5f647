import type { WorkspaceCall } from './call.ts';
import { findRecord, seesRates } from './state.ts';
import type { Membership } from './world.ts';

/**
 * A field without a value is left out (docs/service.md, Members); in one dialect it is null. The rate fields
 * have one only for those who may view rates.
 */
export const toMemberView = (call: WorkspaceCall, membership: Membership) => {
  const user = findRecord(call.world.users, membership.user_id);
  const unset = call.dialect.unset === 'null' ? null : undefined;
  const orUnset = <T>(value: T | undefined) => (value === undefined ? unset : value);
  const showsRates = seesRates(call.me);
  return {
    id: membership.user_id,
    email: user?.email,
    firstname: user?.firstname,
    lastname: user?.lastname,
    avatar: orUnset(user?.avatar),
    current_role: membership.role,
    timezone: orUnset(user?.timezone),
    status: membership.status,
    team_name: orUnset(membership.team_name),
    title: orUnset(membership.title),
    birth_date: orUnset(membership.birth_date),
    hired_at: orUnset(membership.hired_at),
    preferred_timezone: orUnset(membership.preferred_timezone),
    settings_max_inactive_minutes: membership.settings_max_inactive_minutes,
    currency: membership.currency,
    rate: orUnset(showsRates ? membership.rate : undefined),
    rate_type: orUnset(showsRates ? membership.rate_type : undefined),
    rate_status: membership.rate_status,
    tax_country: orUnset(membership.tax_country),
    tax_state: orUnset(membership.tax_state),
    is_blocked: membership.is_blocked,
    weekly_hours_limit: membership.weekly_hours_limit,
    screenshots: membership.screenshots,
    created_at: membership.created_at,
    updated_at: membership.updated_at,
    deleted_at: membership.deleted_at,
  };
};
