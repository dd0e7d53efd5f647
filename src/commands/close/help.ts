/** Sections of the help of `ttctl close check`. */
export const closeHelp = [
  {
    title: 'Who is expected',
    text: 'Active members with an active contract, on every workday (Monday to Friday) of the period that is over, from the day they were hired to the day they were archived. Such a day is in a timesheet, on approved leave, or missing.',
  },
  {
    title: 'Findings',
    entries: [
      ['no_timesheet', 'workdays with no timesheet and no approved leave'],
      [
        'not_submitted',
        'a timesheet whose period is over but that is still open, unless the member was on leave the whole time',
      ],
      ['rejected', 'a rejected timesheet, which the member has to correct'],
      ['waiting', 'a submitted timesheet that is not decided'],
      [
        'over_limit',
        "a submitted or approved timesheet with more hours than its member's weekly limit allows for its days",
      ],
      [
        'sheet_on_leave',
        'a timesheet with more hours than the weekly limit allows for the workdays not covered by approved leave',
      ],
      ['leave_pending', 'a leave request that is not decided'],
      ['time_request_pending', 'a time request that is not decided; its days are those in --timezone'],
      [
        'negative_balance',
        "a member's leave balance of the year below zero, if the policy does not allow it",
      ],
      ['archived_with_open_items', 'an archived member whose timesheets or requests are not settled'],
      ['expense_without_project', 'an expense with no project'],
    ],
  },
  {
    title: 'Partial data',
    text: 'A timesheet or request that extends beyond the period is partial: only its days inside the period count. If a list cannot be read, the findings from the others are printed, and the exit code says why (4: not allowed, 7: try later, 1: the dates, hours or other data of a record cannot be read); it is never 0 or 10. With --where, the exit code is 10 if any finding matches. Missing timesheets are then listed only if timesheets and leaves could be read.',
  },
] as const;
