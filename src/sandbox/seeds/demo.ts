import type { Place } from '../records.ts';
import * as records from '../records.ts';
import { getOAuth } from '../tokens.ts';
import type { Contract, Membership, Project, World } from '../world.ts';
import * as build from './build.ts';

/**
 * A small studio of twelve people, with something in every state, and a second workspace in which the owner of
 * the first is a Regular User, so that the wrong role can be tried.
 */
export function seedDemo(options: build.SeedOptions): World {
  const { now } = options;
  const place = build.createWorld('demo', options, 'Lindenhof Studio');
  const people = addPeople(place);
  const projects = addProjects(place, people);
  const contracts = addContracts(place, people, projects);
  const offline = addTasks(place, people, projects);
  addSheets(place, people);
  addRequests(place, people, contracts, offline.id);
  addExpenses(place, people, projects);
  records.newWebhook(place, 'http://127.0.0.1:8787/events', ['tracker.started', 'tracker.stopped']);
  records.newWebhook(place, 'https://hooks.lindenhof.example/people', ['member.invited', 'member.archived']);
  for (const { user_id, id } of [contracts.ownerInner, contracts.engineerApp]) {
    const started_at = new Date(now - 47 * 60_000).toISOString();
    const workspace_id = place.workspace.id;
    place.world.trackers[user_id] = { user_id, workspace_id, contract_id: id, task_id: null, started_at };
  }
  addNeighbour(place.world, now);
  addApp(place.world, people.owner, now);
  build.addPast(place);
  return place.world;
}

type People = ReturnType<typeof addPeople>;
type Projects = ReturnType<typeof addProjects>;

interface DemoPerson extends Partial<Omit<build.PersonSeed, 'name' | 'zone'>> {
  readonly name: readonly [first: string, last: string];
  readonly job?: readonly [title: string, team: string, rate: number];
  readonly home?: readonly [zone: string, taxCountry?: string, taxState?: string];
  /** Days ago. */
  readonly hired?: number;
}

/** The twelve of the demo: every role, one inactive, one archived, two project viewers. */
const PEOPLE = {
  owner: {
    name: ['Nora', 'Lindqvist'],
    role: 'Owner',
    job: ['Founder', 'Studio', 120],
    rate_status: 1,
    avatar: 'nora.png',
    home: ['Europe/Stockholm', 'SE', 'Stockholm'],
    preferred_timezone: 'Europe/Berlin',
    birth_date: '1979-08-03',
    hired: 2900,
  },
  executive: {
    name: ['Samir', 'Haddad'],
    role: 'Executive manager',
    job: ['Operations', 'Studio', 95],
    rate_status: 1,
    home: ['Europe/Berlin', 'DE', 'Berlin'],
    birth_date: '1984-01-26',
    hired: 2300,
  },
  /** May not see rates. */
  blind: {
    name: ['Grace', 'Okafor'],
    role: 'Executive manager',
    job: ['People', 'Studio', 88],
    home: ['Africa/Lagos', 'NG', 'Lagos'],
    preferred_timezone: 'Europe/Berlin',
    hired: 1250,
  },
  team: {
    name: ['Tomasz', 'Zieliński'],
    role: 'Team manager',
    job: ['Head of design', 'Design', 80],
    home: ['Europe/Warsaw', 'PL', 'Mazowieckie'],
    birth_date: '1988-11-12',
    hired: 1700,
  },
  lead: {
    name: ['Mei', 'Tanaka'],
    role: 'Project manager',
    job: ['Producer', 'Delivery', 78],
    avatar: 'mei.png',
    home: ['Asia/Tokyo', 'JP', 'Tokyo'],
    birth_date: '1990-05-21',
    hired: 980,
  },
  second: {
    name: ['Lucas', 'Ferreira'],
    role: 'Project manager',
    job: ['Producer', 'Delivery', 76],
    home: ['America/Sao_Paulo', 'BR', 'São Paulo'],
    hired: 620,
  },
  designer: {
    name: ['Aoife', 'Byrne'],
    job: ['Designer', 'Design', 60],
    home: ['Europe/Dublin', 'IE'],
    birth_date: '1993-04-17',
  },
  engineer: {
    name: ['Arjun', 'Nair'],
    job: ['Engineer', 'Engineering', 64],
    home: ['Asia/Kolkata', 'IN', 'Kerala'],
    preferred_timezone: 'Europe/Berlin',
    birth_date: '1996-02-09',
    hired: 540,
    weekly_hours_limit: 45,
  },
  inactive: {
    name: ['Elif', 'Yıldız'],
    job: ['Illustrator', 'Design', 55],
    home: ['Europe/Istanbul'],
    status: 'inactive',
  },
  archived: {
    name: ['Daniel', 'Kovács'],
    job: ['Engineer', 'Engineering', 62],
    home: ['Europe/Budapest', 'HU'],
    birth_date: '1986-10-30',
    hired: 1430,
    status: 'left',
    status_before: 'active',
  },
  client: { name: ['Priya', 'Raman'], role: 'Project viewer', home: ['Europe/London'] },
  guest: { name: ['Jonas', 'Weber'], role: 'Project viewer' },
} as const satisfies Readonly<Record<string, DemoPerson>>;

/** Adds them in their order. */
function addPeople(place: Place) {
  const add = ({ name, job, home = ['Europe/Berlin'], hired, ...rest }: DemoPerson): Membership => {
    const [title, team_name, rate] = job ?? [];
    const [zone, tax_country, tax_state] = home;
    return build.addPerson(place, {
      email: `${name[0].toLowerCase()}@lindenhof.example`,
      ...{ name, zone, title, team_name, tax_country, tax_state },
      ...(rate === undefined ? {} : { rate }),
      ...(hired === undefined ? {} : { hired_at: build.toTimeAgo(place, hired) }),
      ...rest,
    });
  };
  const entries = Object.entries(PEOPLE).map(([key, person]) => [key, add(person)]);
  const people = Object.fromEntries(entries) as Readonly<Record<keyof typeof PEOPLE, Membership>>;
  people.archived.deleted_at = build.toTimeAgo(place, 60);
  return people;
}

function addProjects(place: Place, people: People) {
  const add = (name: string, overrides: Partial<Project>) => build.addProject(place, name, overrides);
  const projects = {
    site: add('Harbour website', {
      estimation: 320,
      budget_estimation: 28000,
      icon: 'anchor',
      deadline: build.toDayAgo(place, -45),
      tags: [{ id: 1, name: 'client', color: '#2f80ed' }],
    }),
    app: add('Ferry timetable app', {
      estimation: 540,
      budget_estimation: 51000,
      icon: 'ship',
      rate: 105,
      notes: 'Second phase begins after the summer',
    }),
    brand: add('Bakery rebrand', { estimation: 80, rate: 75, icon: 'bread' }),
    inner: add('Internal', { is_billable: false, rate: null }),
    care: add('Support and care', { weekly_hours_limit: 20, rate: 85 }),
    archived: add('Museum kiosk', { deleted_at: build.toTimeAgo(place, 90) }),
  };
  people.client.viewer_projects.push(projects.site.id, projects.app.id);
  people.guest.viewer_projects.push(projects.brand.id);
  return projects;
}

function addContracts(place: Place, people: People, projects: Projects) {
  const add = (project: keyof Projects, person: keyof People, overrides: Partial<Contract> = {}) =>
    build.addContract(place, projects[project], people[person].user_id, overrides);
  return {
    leadSite: add('site', 'lead'),
    designerSite: add('site', 'designer', { rate: 70, rate_type: 1 }),
    engineerSite: add('site', 'engineer', { rate_type: 3 }),
    leadApp: add('app', 'lead', { weekly_hours_limit: 20 }),
    engineerApp: add('app', 'engineer', { screenshots: 'blurred' }),
    secondBrand: add('brand', 'second'),
    teamBrand: add('brand', 'team', { weekly_hours_limit: 10 }),
    inactiveBrand: add('brand', 'inactive', { status: 'paused' }),
    ownerInner: add('inner', 'owner', { screenshots: 'no_screenshot' }),
    executiveInner: add('inner', 'executive', { screenshots: 'no_screenshot' }),
    secondCare: add('care', 'second', { weekly_hours_limit: 20 }),
    engineerCare: add('care', 'engineer', { weekly_hours_limit: 8 }),
  };
}

/** @returns one that a time request is for */
function addTasks(place: Place, people: People, { site, app, brand, care }: Projects) {
  const home = build.addTask(place, site, 'Home page layout', { status: 10, priority: 20 });
  const done = (days: number) => ({ completed_at: build.toTimeAgo(place, days) });
  build.addTask(place, site, 'Photographs of the quay', { status: 20, ...done(12) });
  build.addTask(place, site, 'Accessibility review', {
    priority: 10,
    start_date: build.toDayAgo(place, -3),
    end_date: build.toDayAgo(place, -10),
  });
  const description = 'Tides included';
  const offline = build.addTask(place, app, 'Offline timetable', { status: 10, description });
  build.addTask(place, app, 'Push notifications', { priority: 40 });
  build.addTask(place, brand, 'Colour proofs', { status: 30, ...done(30) });
  build.addTask(place, brand, 'Shop sign', { priority: null });
  build.addTask(place, care, 'Monthly updates');
  const assigned = [
    [home, people.designer],
    [home, people.engineer],
    [offline, people.engineer],
  ] as const;
  for (const [task, { user_id }] of assigned)
    records.newAssignment(place, { task_id: task.id, user_id, assigner_id: people.lead.user_id });
  return offline;
}

/** Last week waits for a decision; the weeks before are decided; this week is open. */
function addSheets(place: Place, people: People): void {
  const { executive, team, lead, second, designer, engineer, owner } = people;
  for (const { user_id } of [executive, team, lead, second, designer, engineer, owner]) {
    build.addSheet(place, user_id, 0, 'open', 600);
    build.addSheet(place, user_id, 1, 'submitted', build.drawWeekMinutes(place));
    build.addSheet(place, user_id, 2, 'approved', build.drawWeekMinutes(place));
  }
  build.addSheet(place, engineer.user_id, 3, 'rejected', 1710, 'Thursday is missing');
  build.addSheet(place, designer.user_id, 3, 'approved', 2280);
}

function addRequests(
  place: Place,
  people: People,
  contracts: ReturnType<typeof addContracts>,
  task: number,
): void {
  const holiday = records.newLeavePolicy(place, { name: 'Annual leave', duration: 28 });
  const sick = records.newLeavePolicy(place, { name: 'Sick leave', duration: 10 });
  const unpaid = records.newLeavePolicy(place, { name: 'Unpaid leave', is_paid: false, duration: 20 });
  build.addLeave(place, people.designer.user_id, holiday, -14, 5, 'pending', 'Walking in Kerry');
  build.addLeave(place, people.engineer.user_id, holiday, -30, 8, 'pending', 'Onam with family');
  build.addLeave(place, people.second.user_id, unpaid, -7, 2, 'pending');
  build.addLeave(place, people.lead.user_id, sick, 20, 2, 'approved');
  build.addLeave(place, people.team.user_id, holiday, 50, 5, 'approved', 'Tatra mountains');
  build.addLeave(place, people.engineer.user_id, unpaid, 35, 3, 'rejected');
  build.addTimeRequest(place, contracts.designerSite, 2, 'pending', 'Client workshop, no laptop');
  build.addTimeRequest(place, contracts.engineerApp, 3, 'pending', 'Release call').task_id = task;
  build.addTimeRequest(place, contracts.secondCare, 4, 'pending');
  build.addTimeRequest(place, contracts.leadSite, 15, 'approved', 'Site visit');
  build.addTimeRequest(place, contracts.engineerSite, 16, 'rejected');
}

function addExpenses(place: Place, people: People, projects: Projects): void {
  const travel = records.newCategory(place, 'Travel');
  const software = records.newCategory(place, 'Software');
  const meals = records.newCategory(place, 'Meals');
  build.addExpense(place, people.lead.user_id, 'Train to the harbour', 48.6, 9, {
    category_id: travel.id,
    project_id: projects.site.id,
    is_billable: true,
  });
  build.addExpense(place, people.owner.user_id, 'Typeface licence', 240, 25, { category_id: software.id });
  build.addExpense(place, people.second.user_id, 'Lunch with the bakery', 62.15, 13, {
    category_id: meals.id,
    project_id: projects.brand.id,
    note: 'Four people',
  });
  build.addExpense(place, people.owner.user_id, 'Parking', 7.5, 3);
}

/** Somebody else's workspace: the owner of the first is a Regular User here. */
function addNeighbour(world: World, now: number): void {
  const place = build.addWorkspace(world, now, 'Fjordworks');
  build.addPerson(place, {
    email: 'ingrid@fjordworks.example',
    name: ['Ingrid', 'Solheim'],
    role: 'Owner',
    rate_status: 1,
    zone: 'Europe/Oslo',
  });
  const project = build.addProject(place, 'Boat house');
  const guest = build.addPerson(place, {
    email: 'nora@lindenhof.example',
    name: ['Nora', 'Lindqvist'],
    zone: 'Europe/Stockholm',
  });
  build.addContract(place, project, guest.user_id);
  build.addSheet(place, guest.user_id, 1, 'submitted', 480);
}

/**
 * An application to try `auth login` with. Its secret is no secret: client id `sbx_app_demo`, client secret
 * `sbx_secret_demo`, redirect address http://127.0.0.1:8484/callback.
 */
function addApp(world: World, owner: Membership, now: number): void {
  getOAuth(world).apps['sbx_app_demo'] = {
    client_id: 'sbx_app_demo',
    client_secret: 'sbx_secret_demo',
    name: 'ttctl',
    grant: 'authorization-code',
    redirect_uri: 'http://127.0.0.1:8484/callback',
    user_id: owner.user_id,
    created_ms: now,
  };
}
