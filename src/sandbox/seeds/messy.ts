import { newCategory, newLeavePolicy } from '../records.ts';
import type { World } from '../world.ts';
import * as build from './build.ts';

/**
 * What real data does to a terminal, a spreadsheet and a script: equal names, right-to-left and wide
 * characters, control characters, escape sequences, formulas, lines that steer CI, and nulls.
 */
const NAMES: readonly (readonly [string, string])[] = [
  ['Alex', 'Morgan'],
  ['Alex', 'Morgan'],
  ['alex', 'morgan'],
  ['דנה', 'כהן'],
  ['محمد', 'الفاسي'],
  ['山田', '太郎'],
  ['김', '서연'],
  ['👩‍👩‍👧‍👦', 'Family'],
  ['Zoe\u0301', 'Combining'],
  ['Zoé', 'Composed'],
  ['\u001b[31mRed', 'Escape\u001b[0m'],
  ['\u001b]0;owned\u0007Title', 'Bell'],
  ['=HYPERLINK("http://x.example";"click")', 'Formula'],
  ['+1+1', '@SUM(A1)'],
  ['-2+3', '\t=1+1'],
  ['Comma, Quote"', "O'Brien; Semi"],
  ['New\nLine', 'Carriage\rReturn'],
  ['::error::CI', '##[command]'],
  ['\u202Eevil', 'override\u202C'],
  ['Zero\u200Bwidth', 'Tag\u{E0041}'],
  ['C1\u009b31m', 'Del\u007f'],
  ['<b>Bold</b>', '<script>alert(1)</script>'],
  ['null', 'undefined'],
  ['__proto__', 'constructor'],
  ['A'.repeat(120), 'Long'],
  [' Leading', 'Trailing '],
];

/** What a member of some services has no value for. */
const NULL_FIELDS = {
  avatar: null,
  birth_date: null,
  hired_at: null,
  preferred_timezone: null,
  tax_country: null,
  tax_state: null,
} as const;

export function seedMessy(options: build.SeedOptions): World {
  const place = build.createWorld('messy', options, 'Mëssy & Søns "GmbH"');
  build.addPerson(place, {
    email: 'owner@messy.example',
    name: ['Robin', 'Castellano'],
    role: 'Owner',
    rate_status: 1,
    zone: null,
    ...NULL_FIELDS,
    team_name: null,
    title: null,
  });
  const people = NAMES.map((name, n) =>
    build.addPerson(place, {
      email: `person+${n}@messy.example`,
      name,
      zone: n % 3 === 0 ? null : 'Asia/Tokyo',
      team_name: n % 2 === 0 ? null : '=Team',
      title: n % 4 === 0 ? null : 'Ünïcödé',
      ...NULL_FIELDS,
    }),
  );
  for (const name of ['Website', 'website', 'Website', '=cmd|calc', '\u001b[2Jcleared', 'מיזם', '  ']) {
    const project = build.addProject(place, name, { rate: null, notes: null, start_date: null });
    const worker = people[place.world.next_id % people.length];
    if (worker !== undefined) build.addContract(place, project, worker.user_id);
    build.addTask(place, project, `${name} task`, { priority: null, description: 'line one\nline two' });
  }
  const policy = newLeavePolicy(place, { name: 'Leave, "annual"', duration: 0 });
  const category = newCategory(place, '=Category');
  for (const [n, person] of people.entries()) {
    const status = (['open', 'submitted', 'rejected', 'approved'] as const)[n % 4] ?? 'open';
    build.addSheet(place, person.user_id, n, status, n, status === 'rejected' ? 'No\nline\u0007' : null);
    if (n % 5 === 0) build.addLeave(place, person.user_id, policy, n, 1, 'pending', '=1+1');
    if (n % 4 !== 0) continue;
    build.addExpense(place, person.user_id, '@cost', n === 0 ? 0 : 0.1 + 0.2, n, {
      category_id: n % 8 === 0 ? null : category.id,
      note: n % 8 === 0 ? null : '\u202Enote',
    });
  }
  return place.world;
}
