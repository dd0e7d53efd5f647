/** Sections of the help of `inbox decide`. */
export const RULES_HELP = [
  {
    title: 'Rules',
    text: 'A JSON array of { "name", "kind", "when", "then", "reason" }. Kinds: timesheet, leave, time-request. "then" is approve, reject (needs a "reason") or hold. "when" is a JMESPath condition on the record and on member, policy, project and warnings, as for --where. The first rule of that kind whose condition is true decides. A request is held if no rule matches, or if a condition is undecided because data is missing.',
  },
  {
    title: 'Backtest',
    text: 'The rules see the records as they are today. What else was waiting on that day, and how much leave was left, is not known: rules that use warnings cannot be replayed on leave from a policy with a balance.',
  },
  {
    title: 'Undo',
    text: 'A decision that was sent cannot be undone: the API cannot reverse it. With --plan somebody else can look first.',
  },
] as const;
