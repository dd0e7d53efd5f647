import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INBOX_KINDS, type InboxKind } from '../../../src/decide/item.ts';
import { decideByRules, getKindFields, RULE_OUTCOMES, type Rule } from '../../../src/decide/rules.ts';
import { compileCondition } from '../../../src/query/condition.ts';
import { UnknownValue } from '../../../src/query/run.ts';

/** The laws of rules: each item is decided by one rule or held, and nothing is approved by taking a rule away. */

const CONDITIONS: Readonly<Record<InboxKind, readonly string[]>> = {
  timesheet: [
    'total_hours <= `40`',
    '!(total_hours > `45`)',
    'warnings == `[]`',
    "contains(warnings, 'over_weekly_limit')",
    "member.role == 'Regular User'",
    'member.weekly_hours_limit < total_hours',
    "total_hours == null || status == 'submitted'",
    '`true`',
    '`false`',
  ],
  leave: ['total.days <= `5`', 'warnings == `[]`', "policy.name == 'Sick'", 'note == null', '`true`'],
  'time-request': ['warnings == `[]`', "notes == 'x'", "starts_with(notes, 'a')", '`true`', '`false`'],
};

const compiled = new Map(
  await Promise.all(
    INBOX_KINDS.flatMap((kind) =>
      CONDITIONS[kind].map(
        async (text) =>
          [
            `${kind} ${text}`,
            await compileCondition(text, { where: 'when', fields: getKindFields(kind) }),
          ] as const,
      ),
    ),
  ),
);

const ruleOf = (kind: InboxKind) =>
  fc
    .record({ text: fc.constantFrom(...CONDITIONS[kind]), outcome: fc.constantFrom(...RULE_OUTCOMES) })
    .map((rule) => ({
      ...rule,
      kind,
    }));

const rules = fc.array(fc.constantFrom(...INBOX_KINDS).chain(ruleOf), { maxLength: 8 }).map((list) =>
  list.map(({ kind, text, outcome }, i): Rule => {
    const when = compiled.get(`${kind} ${text}`);
    if (when === undefined) throw new Error(text);
    return { name: `rule ${i}`, kind, when, outcome, reason: outcome === 'reject' ? 'because' : undefined };
  }),
);

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const items = fc.array(
  fc.record({
    kind: fc.constantFrom(...INBOX_KINDS),
    row: fc.record({
      status: maybe(fc.constantFrom('submitted', 'pending')),
      total_hours: maybe(fc.integer({ min: 30, max: 60 })),
      total: maybe(fc.record({ days: maybe(fc.integer({ min: 1, max: 9 })) })),
      note: maybe(fc.constant('note')),
      notes: maybe(fc.constantFrom('x', 'abc')),
      warnings: fc.oneof(
        fc.subarray(['over_weekly_limit', 'on_leave']),
        fc.constant(new UnknownValue('a list was refused')),
      ),
      member: maybe(
        fc.record({
          role: maybe(fc.constantFrom('Owner', 'Regular User')),
          weekly_hours_limit: maybe(fc.integer({ min: 30, max: 45 })),
        }),
      ),
      policy: maybe(fc.record({ name: fc.constantFrom('Sick', 'Annual') })),
    }),
  }),
  { maxLength: 12 },
);

const decide = (list: readonly Rule[], { kind, row }: { kind: InboxKind; row: object }) =>
  decideByRules(list, kind, row as Readonly<Record<string, unknown>>);

describe('the laws of rules', () => {
  it('each item is decided by exactly one rule of its kind, the first that is true, or held', () => {
    fc.assert(
      fc.property(rules, items, (list, all) => {
        for (const item of all) {
          const { outcome, rule, why } = decide(list, item);
          const own = list.filter(({ kind }) => kind === item.kind);
          const verdicts = own.map(({ when }) => when.test(item.row));
          const first = verdicts.findIndex((verdict) => verdict !== false);
          if (first < 0) expect([outcome, rule]).toEqual(['hold', undefined]);
          else if (verdicts[first] === true)
            expect([outcome, rule]).toEqual([own[first]?.outcome, own[first]]);
          else expect([outcome, rule, why !== undefined]).toEqual(['hold', own[first], true]);
        }
      }),
    );
  });

  it('taking away an approving rule never adds an approval, but of what that rule held undecided', () => {
    fc.assert(
      fc.property(rules, items, fc.nat(), (list, all, at) => {
        const approving = list.filter(({ outcome }) => outcome === 'approve');
        const gone = approving[at % Math.max(1, approving.length)];
        const left = list.filter((rule) => rule !== gone);
        for (const item of all) {
          if (decide(left, item).outcome !== 'approve') continue;
          const { outcome, rule, why } = decide(list, item);
          expect(outcome === 'approve' || (rule === gone && why !== undefined)).toBe(true);
        }
      }),
    );
  });

  it('the order of the items means nothing', () => {
    fc.assert(
      fc.property(rules, items, (list, all) => {
        const there = all.map((item) => decide(list, item).outcome);
        const back = [...all].reverse().map((item) => decide(list, item).outcome);
        expect(back.reverse()).toEqual(there);
      }),
    );
  });

  it('what is not known approves nothing', () => {
    fc.assert(
      fc.property(rules, items, (list, all) => {
        for (const item of all) {
          const unknown = { ...item.row, warnings: new UnknownValue('refused') };
          const { outcome, rule } = decide(list, { ...item, row: unknown });
          if (outcome === 'approve') expect(rule?.when.names.has('warnings')).toBe(false);
        }
      }),
    );
  });
});
