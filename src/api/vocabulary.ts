import { isSameNumber, toNumber } from '../json/number.ts';

/** The words of the service (docs/service.md). */

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
export const MEMBER_STATUSES = ['active', 'inactive', 'left', 'unknown'] as const;
export const TIMESHEET_STATUSES = ['open', 'submitted', 'rejected', 'approved'] as const;
export const DECISION_STATUSES = ['pending', 'approved', 'rejected'] as const;
export const CONTRACT_STATUSES = ['active', 'paused'] as const;
export const SCREENSHOTS = [
  'full',
  'blurred',
  'no_preview',
  'no_screenshot',
  'background_blurred',
  'video_full',
  'video_blurred',
  'video_full_silent',
  'video_blurred_silent',
] as const;
export const TASK_STATUS = { open: 0, 'in-progress': 10, done: 20, closed: 30 } as const;
export const TASK_PRIORITY = { urgent: 10, high: 20, normal: 30, low: 40 } as const;
/** Known event names; the list is not complete, others are accepted. */
export const WEBHOOK_EVENTS = [
  'tracker.started',
  'tracker.stopped',
  'member.invited',
  'member.updated',
  'member.deleted',
  'member.activated',
  'member.archived',
  'project.created',
  'project.updated',
  'project.deleted',
] as const;

/** The word for a number of the service; one that has none stays as it is. */
export const wordOf = (words: Readonly<Record<string, number>>, value: unknown): unknown =>
  Object.keys(words).find((word) => isSameNumber(toNumber(value), words[word] ?? Number.NaN)) ?? value;
