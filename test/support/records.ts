import type { Row } from './use-cli.ts';

/** Records as the service answers with them (docs/service.md); `more` lies over them. */

export const member = (id: number, firstname: string, more: Row = {}): Row => ({
  ...{ id, firstname, lastname: 'Ek', email: `${firstname.toLowerCase()}@example.com`, status: 'active' },
  ...{ current_role: 'Regular User', weekly_hours_limit: 40, ...more },
});

/** Of the week from Monday 9 November 2026, submitted. */
export const timesheet = (id: string, user_id: number, total_hours: number | null, more: Row = {}): Row => ({
  ...{ id, user_id, total_hours, status: 'submitted', date_from: '2026-11-09', date_to: '2026-11-15' },
  ...{ submitted_on: '2026-11-16T08:00:00Z', reject_reason: null, ...more },
});

/** A pending one of whole days from Monday 7 December 2026. */
export const leave = (id: string, user_id: number, days = 1, more: Row = {}): Row => ({
  ...{ id, user_id, policy_id: 3, status: 'pending', total: { days, hours: days * 8 } },
  ...{ start_date: '2026-12-07', end_date: `2026-12-${String(6 + days).padStart(2, '0')}` },
  ...{ created_on: '2026-11-17T08:00:00Z', ...more },
});

/** Two hours on Tuesday 17 November 2026, pending. */
export const timeRequest = (id: string, user_id: number, more: Row = {}): Row => ({
  ...{ id, user_id, project_id: 5, status: 'pending', notes: null, created_at: '2026-11-18T17:00:00Z' },
  ...{ start: '2026-11-17T09:00:00Z', end: '2026-11-17T11:00:00Z', ...more },
});
