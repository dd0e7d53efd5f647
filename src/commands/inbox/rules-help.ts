/** Sections of the help of `inbox decide`. */
export const RULES_HELP = [
  {
    title: 'Rules',
    text: 'A JSON array of { "name", "kind", "when", "then", "reason" }. Kinds: timesheet, leave, time-request. "then" is approve, reject (needs a "reason") or hold. "when" is a JMESPath condition on the record and on member, policy, project and warnings, as for --where. The first rule of the kind that is true decides. A request is held if no rule is true of it, or if a rule cannot be decided because data are missing.',
  },
  {
    title: 'Backtest',
    text: 'The rules see the records as they are today. What else was waiting on that day is not known, nor what was left of a balance: leaves of a policy with a balance cannot be replayed by rules that read warnings.',
  },
  {
    title: 'Undo',
    text: 'A decision that was sent cannot be undone: the API cannot take it back. With --plan somebody else can look first.',
  },
] as const;
