import { addRecord, type Place } from '../records.ts';
import { drawRandom } from '../state.ts';
import type { Contract, Membership, Role, World } from '../world.ts';
import * as build from './build.ts';
import { seedDemo } from './demo.ts';

/** The seeds with many people, of made-up names: an agency, the end of a month, as many as are wanted; and one with nobody. */

export { readSeedFile } from './file.ts';

export const WORLDS: Readonly<Record<string, (options: build.SeedOptions) => World>> = {
  ...{ demo: seedDemo, agency: seedAgency, 'month-end': seedMonthEnd, messy: seedMessy, empty: seedEmpty },
};

function seedAgency(options: build.SeedOptions): World {
  const place = build.createWorld('agency', options, 'Meridian Agency');
  const staff = addStaff(place, 60, 'meridian.example');
  const contracts = addWork(place, staff);
  for (const project of Object.values(place.workspace.projects)) {
    for (const title of ['Kick-off', 'First draft', 'Review', 'Handover']) {
      build.addTask(place, project, title, { priority: 10 * (1 + Math.floor(drawRandom(place.world) * 4)) });
    }
  }
  for (const member of staff) {
    build.addSheet(place, member.user_id, 0, 'open', 480);
    build.addSheet(place, member.user_id, 1, 'submitted', build.drawWeekMinutes(place));
    build.addSheet(place, member.user_id, 2, 'approved', build.drawWeekMinutes(place));
  }
  const holiday = addRecord(place, 'leave_policies', { name: 'Annual leave', duration: 25 });
  addRecord(place, 'leave_policies', { name: 'Sick leave', duration: 12 });
  for (const [n, member] of staff.entries()) {
    if (n % 5 === 0) build.addLeave(place, member.user_id, holiday, -10 - n, 4, 'pending');
    if (n % 7 === 0) build.addLeave(place, member.user_id, holiday, 40 + n, 3, 'approved');
  }
  for (const [n, contract] of contracts.entries()) {
    if (n % 15 === 0) build.addTimeRequest(place, contract, 1 + (n % 10), 'pending');
  }
  const travel = addRecord(place, 'categories', { name: 'Travel' });
  addRecord(place, 'categories', { name: 'Equipment' });
  for (const [n, member] of staff.entries()) {
    if (n % 6 !== 0) continue;
    build.addExpense(place, member.user_id, 'Train ticket', 18.4 + n, n % 28, { category_id: travel.id });
  }
  addRecord(place, 'webhooks', {
    url: 'https://hooks.meridian.example/time',
    events: ['tracker.started', 'tracker.stopped'],
  });
  build.addPast(place);
  return place.world;
}

/** The day on which all is decided: 180 submitted sheets, 40 leaves and 60 time requests that wait. */
function seedMonthEnd(options: build.SeedOptions): World {
  const place = build.createWorld('month-end', options, 'Month-end Ltd');
  const staff = addStaff(place, 45, 'month-end.example');
  const contracts = addWork(place, staff);
  for (const person of staff) {
    for (const week of [1, 2, 3, 4]) {
      build.addSheet(place, person.user_id, week, 'submitted', build.drawWeekMinutes(place));
    }
    build.addSheet(place, person.user_id, 5, 'approved', build.drawWeekMinutes(place));
  }
  const holiday = addRecord(place, 'leave_policies', { name: 'Annual leave', duration: 26 });
  const unpaid = addRecord(place, 'leave_policies', { name: 'Unpaid leave', is_paid: false, duration: 10 });
  for (const [n, person] of staff.slice(0, 40).entries()) {
    build.addLeave(place, person.user_id, n % 4 === 0 ? unpaid : holiday, -5 - n, 1 + (n % 5), 'pending');
  }
  for (const [n, contract] of contracts.slice(0, 60).entries()) {
    build.addTimeRequest(place, contract, 1 + (n % 20), 'pending', n % 3 === 0 ? 'Forgot to start' : null);
  }
  build.addPast(place);
  return place.world;
}

function seedEmpty(options: build.SeedOptions): World {
  const place = build.createWorld('empty', options, 'New workspace');
  const owner = { email: 'owner@new.example', name: ['Robin', 'Castellano'] as const, zone: 'UTC' };
  build.addPerson(place, { ...owner, role: 'Owner', rate_status: 1 });
  return place.world;
}

export function seedBig(options: build.SeedOptions, count: number): World {
  const place = build.createWorld(count === 5000 ? 'big' : `big:${count}`, options, 'Big Company');
  addStaff(place, count, 'big.example');
  return place.world;
}

const TEAMS = ['Strategy', 'Design', 'Engineering', 'Research', 'Delivery', 'Support'];

/** Adds `count` people; the first is the owner. What is known of each follows from its number alone. */
function addStaff(place: Place, count: number, domain: string): Membership[] {
  return Array.from({ length: count }, (_, n) => {
    let role: Role = n % 9 === 0 ? 'Project manager' : 'Regular User';
    if (n <= 2 + TEAMS.length) role = 'Team manager';
    if (n <= 2) role = n === 0 ? 'Owner' : 'Executive manager';
    // The first 3,654 names are all different.
    const first = FIRST_NAMES[n % FIRST_NAMES.length] ?? 'Kim';
    const last = LAST_NAMES[(n + Math.floor(n / FIRST_NAMES.length)) % LAST_NAMES.length] ?? 'Lee';
    const ascii = `${first}.${last}`.normalize('NFD').replace(/[^A-Za-z.-]/g, '');
    return build.addPerson(place, {
      email: `${ascii.toLowerCase()}${n < FIRST_NAMES.length ? '' : n}@${domain}`,
      ...{ name: [first, last], role, title: role === 'Regular User' ? 'Consultant' : role },
      ...{ team_name: TEAMS[n % TEAMS.length] ?? 'Support', rate: 45 + (n % 12) * 5 },
      rate_status: n <= 1 ? 1 : 0,
    });
  });
}

function addWork(place: Place, staff: readonly Membership[]): Contract[] {
  const projects = PROJECTS.map((name, n) => {
    const amounts = { rate: 70 + (n % 6) * 10, estimation: 100 + n * 20 };
    return build.addProject(place, name, { is_billable: n % 5 !== 0, ...amounts });
  });
  return staff.flatMap((member, n) =>
    [0, 1, 2].flatMap((step) => {
      const project = projects[(n * 3 + step) % projects.length];
      return project === undefined ? [] : build.addContract(place, project, member.user_id);
    }),
  );
}

const FIRST_NAMES =
  'Amélie Bashir Chiara Dmitri Eun-ji Farah Gustavo Hana Iker Jelena Kofi Leila Mateus Ngozi Oskar Paloma Quentin Rania Stefan Thandi Ulrich Valentina Wei Ximena Yusuf Zofia Anders Beatriz Cormac Deepa Emeka Freya Giulia Henrik Isabel Jakub Kamala Laszlo Miriam Nikos Olena Pedro Ragnhild Sanjay Tuula Uma Viktor Wanjiru Yara Zoltán Akira Brigitte Carmen Duc Elena Finn Gita Hassan Ines João Katarzyna Lars Mariam'.split(
    ' ',
  );
const LAST_NAMES =
  'Abebe Bianchi Castillo Dubois Eriksson Fernández Gupta Horváth Ivanova Jansen Kaya Larsen Mbeki Novák Ortega Petrov Quispe Rossi Santos Takahashi Ueda Virtanen Walsh Xu Yamamoto Zhang Almeida Bakker Chukwu Demir Estrada Fischer García Hoang Iyer Johansson Kim Lopes Moreau Nguyen Osei Papadopoulos Ramos Schmidt Traoré Urban Vargas Wójcik Yeboah Zamora Ahmed Brown Costa Diallo Evans Farkas Green Hughes'.split(
    ' ',
  );

const PROJECTS =
  'Airport signage|Allotment planner|Annual report|Archive search|Bicycle hire|Bookshop checkout|Bridge survey|Choir tickets|City marathon|Clinic intake|Coffee roastery|Dairy labels|Dental practice|Energy dashboard|Film festival|Garden centre|Hotel booking|Ice rink|Jazz club|Kindergarten portal|Library cards|Market stalls|Night bus|Observatory tours|Pottery classes'.split(
    '|',
  );

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

const NULL_FIELDS = {
  ...{ avatar: null, birth_date: null, hired_at: null, preferred_timezone: null },
  ...{ tax_country: null, tax_state: null },
} as const;

function seedMessy(options: build.SeedOptions): World {
  const place = build.createWorld('messy', options, 'Mëssy & Søns "GmbH"');
  const nothing = { ...NULL_FIELDS, zone: null, team_name: null, title: null };
  const owner = { email: 'owner@messy.example', name: ['Robin', 'Castellano'] as const, ...nothing };
  build.addPerson(place, { ...owner, role: 'Owner', rate_status: 1 });
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
  const policy = addRecord(place, 'leave_policies', { name: 'Leave, "annual"', duration: 0 });
  const category = addRecord(place, 'categories', { name: '=Category' });
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
