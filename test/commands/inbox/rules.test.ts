import fc from 'fast-check';
import { expect, it } from 'vitest';
import { INBOX_KINDS } from '../../../src/decide/item.ts';
import { decideByRules, RULE_OUTCOMES, readRules } from '../../../src/decide/rules.ts';
import { UnknownValue } from '../../../src/query/run.ts';

it('each thing is decided by one rule, the first of its kind that is true, or held; what is not known approves nothing', async () => {
  const rule = fc.record({
    kind: fc.constantFrom(...INBOX_KINDS),
    when: fc.constantFrom(
      ...['warnings == `[]`', "contains(warnings, 'soon')", "!contains(warnings, 'soon')", '`true`'],
      ...["member.role == 'Owner'", 'member.weekly_hours_limit > `35`', "status == 'pending' || id == null"],
    ),
    // biome-ignore lint/suspicious/noThenProperty: the name of a rule's outcome
    then: fc.constantFrom(...RULE_OUTCOMES),
  });
  const refused = new UnknownValue('a list was refused');
  const row = fc.record({
    status: fc.constantFrom('pending', 'submitted', null),
    warnings: fc.oneof(fc.subarray(['soon', 'over_balance']), fc.constant(refused)),
    member: fc.option(
      fc.record({
        role: fc.constantFrom('Owner', 'Regular User', null),
        weekly_hours_limit: fc.constantFrom(30, 40, null),
      }),
    ),
  });
  const things = fc.array(fc.record({ kind: fc.constantFrom(...INBOX_KINDS), row }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 8 }), things, async (written, all) => {
      const named = written.map((one, n) => ({ name: `rule ${n}`, ...one }));
      const reasoned = named.map((one) => (one.then === 'approve' ? one : { ...one, reason: 'Why.' }));
      const rules = await readRules('rules.json', JSON.stringify(reasoned));
      for (const { kind, row } of all) {
        const { outcome, rule, why } = decideByRules(rules, kind, row);
        const first = rules.find((one) => one.kind === kind && one.when.test(row) !== false);
        expect(rule).toBe(first);
        expect(outcome).toBe(first?.when.test(row) === true ? first.outcome : 'hold');
        if (outcome === 'approve' && row.warnings === refused)
          expect(first?.when.names.has('warnings')).toBe(false);
        // Without a rule that approves nothing else is approved, but for what this rule could not decide.
        for (const gone of rules.filter((one) => one.outcome === 'approve')) {
          const without = decideByRules(
            rules.filter((one) => one !== gone),
            kind,
            row,
          );
          const isHeld = rule === gone && why !== undefined;
          if (without.outcome === 'approve') expect(outcome === 'approve' || isHeld).toBe(true);
        }
      }
    }),
  );
});
