/**
 * Where behaviour comes from that is not documented (docs/service.md): `D` found in public documentation of the
 * family, `F` the usual framework's, `A` assumed. A route lists what it rests on; an answer that used an assumption
 * names it in the header `x-sandbox-assumed`.
 */
export const BEHAVIOURS = {
  pagination: { from: 'D', what: 'meta.pagination has total, per_page, current_page, last_page, from, to' },
  'list-paging': { from: 'D', what: 'page and per_page (1..100, default 20) work on this list' },
  'page-only': { from: 'D', what: 'the list takes page, not per_page' },
  record: { from: 'D', what: 'the fields of the record' },
  body: { from: 'D', what: 'the fields of the request body' },
  'created-201': { from: 'D', what: 'a create returns 201' },
  'leave-states': { from: 'D', what: 'a leave request becomes approved or rejected' },
  'part-of-name': { from: 'D', what: 'name matches any part of a name, ignoring case' },
  'last-page': { from: 'F', what: 'last_page of an empty list is 1' },
  'rate-headers': { from: 'F', what: 'X-RateLimit-Limit and X-RateLimit-Remaining' },
  'date-order': { from: 'D', what: 'an end is not before its start' },
  'created-201-task': { from: 'A', what: 'creating a task returns 201' },
  'state-400': { from: 'A', what: 'a record in the wrong state is answered with 400' },
  'too-many': { from: 'A', what: 'the body of a 429' },
  'reads-limit': { from: 'A', what: 'limits are counted per token over sliding windows' },
  'two-workspaces': { from: 'A', what: 'a different workspace_id in query and body is refused' },
  'archived-left': { from: 'A', what: 'an archived person has the status left and stays in the list' },
  'archived-hidden': { from: 'A', what: 'an archived record is not in the list' },
  'invited-inactive': { from: 'A', what: 'an invited person is inactive until the invitation is accepted' },
  'address-taken': {
    from: 'A',
    what: 'an e-mail address that is already in the workspace cannot be invited again',
  },
  'owner-stays': { from: 'A', what: "the owner's role is fixed, and the owner cannot be archived" },
  'archived-locked': { from: 'A', what: 'an archived record cannot be changed' },
  'rates-seen': { from: 'A', what: 'Executive Managers see rates when their rate_status is 1' },
  'tasks-seen': {
    from: 'A',
    what: 'with the dialect lowerRolesRead, a role sees the tasks of projects whose contracts it sees',
  },
  'project-billable': { from: 'A', what: 'is_billable of a project can be written' },
  'period-overlap': { from: 'A', what: 'a date range matches the records that overlap it' },
  'range-order': { from: 'A', what: 'date_to before date_from is refused' },
  'sheet-for-request': {
    from: 'A',
    what: 'approved time is added to the timesheet of its UTC day; if there is none, an open one is created',
  },
  'own-contract': { from: 'A', what: 'a time request is for an active contract of its user' },
  'policy-record': { from: 'A', what: 'the fields of a leave policy and of policy_id' },
  'balance-sum': { from: 'A', what: 'a balance is the allowance less the approved leave in the range' },
  'category-record': { from: 'A', what: 'the fields of an expense category' },
  'existing-ids': { from: 'A', what: 'an id in a body that is not in the workspace is answered with 400' },
  'one-contract': { from: 'A', what: 'a member has at most one contract in a project' },
  'one-assignment': { from: 'A', what: 'a member can be assigned to a task only once' },
  'expense-own': { from: 'A', what: 'an expense belongs to the caller' },
  'task-completed': { from: 'A', what: 'completed_at is set while a task is done' },
  'webhook-token': { from: 'A', what: 'the token looks like whsec_…, and a list does not show it' },
  'webhook-url': { from: 'A', what: 'a url is http or https, and events are not empty' },
  'delivery-body': {
    from: 'A',
    what: 'a delivery is JSON: id, event, workspace_id, created_at, data; each webhook gets an id of its own',
  },
  'delivery-signed': {
    from: 'A',
    what: "a delivery is signed in the Standard Webhooks layout with the webhook's token, by the sandbox's clock",
  },
  'delivery-retried': {
    from: 'A',
    what: 'a delivery without a 2xx response within 10 s is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h',
  },
  'delivery-ended': {
    from: 'A',
    what: '410 ends a delivery but keeps the webhook; redirects are not followed',
  },
  'delivery-follows': {
    from: 'A',
    what: 'each attempt goes to the current address of the webhook; deleting the webhook ends its deliveries',
  },
  'event-known': { from: 'D', what: 'the names of the events of members and projects' },
  'event-emitted': { from: 'A', what: 'the operation sends its event, and the fields of its data' },
  'event-both': { from: 'A', what: 'archiving a person sends member.archived and member.deleted' },
  'event-others': { from: 'A', what: 'an event named like project.created, and the fields of its data' },
} as const satisfies Record<string, { from: 'D' | 'F' | 'A'; what: string }>;

type Behaviour = keyof typeof BEHAVIOURS;

/** The behaviours that are assumed. */
export type Assumption = {
  [K in Behaviour]: (typeof BEHAVIOURS)[K]['from'] extends 'A' ? K : never;
}[Behaviour];

/** What one route rests on. */
export interface Provenance {
  /** Documented rules that the route keeps, in a few words each. */
  readonly documented: readonly string[];
  readonly beyond: readonly Behaviour[];
}

export interface CoverageRow {
  readonly route: string;
  readonly documented: number;
  readonly found: number;
  readonly assumed: number;
  readonly assumptions: readonly string[];
}

/** One row for `sandbox coverage`. */
export const toCoverageRow = (route: string, provenance: Provenance): CoverageRow => {
  const assumptions = provenance.beyond.filter((key) => BEHAVIOURS[key].from === 'A');
  return {
    route,
    documented: provenance.documented.length,
    found: provenance.beyond.length - assumptions.length,
    assumed: assumptions.length,
    assumptions: assumptions.map((key) => BEHAVIOURS[key].what),
  };
};
