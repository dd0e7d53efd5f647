import type { Row } from '../../api/page.ts';
import { filterInParts } from '../../clock.ts';
import { CLOSE_ROW, type CloseFinding, toFindingRow } from '../../close/finding.ts';
import type { CloseView } from '../../close/view.ts';
import type { Context } from '../../context.ts';
import { getConditionFields, listFieldsOf, toJoined } from '../../resources/joins.ts';

/** Which findings `--where` means, and the fields of their members. */

type Member = (finding: CloseFinding) => Row;

/** The member as on every list: of whom no record was read, as much as the finding says. */
export const createMemberFinder =
  ({ findMember }: CloseView): Member =>
  ({ member }) => ({
    ...toJoined('member', findMember(member.id) ?? { id: member.id, email: member.email }),
    name: member.name,
  });

/** Columns such as `member.role`. */
export const createJoins = (findings: readonly CloseFinding[], findMember: Member) => async () => {
  const joined = new Map<unknown, Row>(findings.map((one) => [one.member, { member: findMember(one) }]));
  return {
    fields: listFieldsOf(['member']),
    find: async (rows: readonly Row[]) => rows.map(({ member }) => joined.get(member) ?? {}),
  };
};

export type ChooseFindings = (
  findings: readonly CloseFinding[],
  view: CloseView,
) => Promise<readonly CloseFinding[]>;

/** Made before anything is read. @throws UsageError for a condition that cannot be used */
export const createChoice = async (
  { output }: Context,
  where: string | undefined,
): Promise<ChooseFindings> => {
  if (where === undefined) return async (findings) => findings;
  const [{ compileCondition, Undecided, UnknownValue }, { describeUndecided }] = await Promise.all([
    import('../../query/condition.ts'),
    import('../../query/verdicts.ts'),
  ]);
  const fields = getConditionFields(['member'], CLOSE_ROW, { record: {} });
  const condition = await compileCondition(where, { where: '--where', fields, closed: true });
  const unread = new UnknownValue('members could not be read');
  const markUnread = (member: Row): Row =>
    Object.fromEntries(
      Object.keys(fields.member?.fields ?? {}).map((name) => [name, member[name] ?? unread]),
    );
  return async (findings, view) => {
    const undecided: string[] = [];
    const isUnread = view.lists.members === undefined;
    const findMember = createMemberFinder(view);
    const chosen = await filterInParts(findings, (finding) => {
      const row = toFindingRow(finding);
      const member = isUnread ? markUnread(findMember(finding)) : findMember(finding);
      const record = isUnread ? { ...row, member } : row;
      const verdict = condition.test({ ...record, member, record });
      if (verdict instanceof Undecided) undecided.push(verdict.message);
      return verdict === true;
    });
    if (undecided.length > 0) output.warn(describeUndecided('--where', undecided.length, undecided));
    return chosen;
  };
};
