import type { Place } from '../records.ts';
import * as records from '../records.ts';
import { getOAuth } from '../tokens.ts';
import type { Contract, Membership, Project, World } from '../world.ts';
import * as build from './build.ts';

interface DemoPerson extends Partial<Omit<build.PersonSeed, 'name' | 'zone'>> {
  readonly name: readonly [first: string, last: string];
  readonly job?: readonly [title: string, team: string, rate: number];
  readonly home?: readonly [zone: string, taxCountry?: string, taxState?: string];
  readonly hired?: number;
}

/** Twelve of the demo: every role, one inactive, one archived, two project viewers. */
const PEOPLE = {
  owner: {
    ...{ name: ['Nora', 'Lindqvist'], role: 'Owner', job: ['Founder', 'Studio', 120], rate_status: 1 },
    ...{ home: ['Europe/Stockholm', 'SE', 'Stockholm'], preferred_timezone: 'Europe/Berlin' },
    ...{ avatar: 'nora.png', birth_date: '1979-08-03', hired: 2900 },
  },
  executive: {
    ...{ name: ['Samir', 'Haddad'], role: 'Executive manager', job: ['Operations', 'Studio', 95] },
    ...{ home: ['Europe/Berlin', 'DE', 'Berlin'], rate_status: 1, birth_date: '1984-01-26', hired: 2300 },
  },
  blind: {
    ...{ name: ['Grace', 'Okafor'], role: 'Executive manager', job: ['People', 'Studio', 88] },
    ...{ home: ['Africa/Lagos', 'NG', 'Lagos'], preferred_timezone: 'Europe/Berlin', hired: 1250 },
  },
  team: {
    ...{ name: ['Tomasz', 'Zieliński'], role: 'Team manager', job: ['Head of design', 'Design', 80] },
    ...{ home: ['Europe/Warsaw', 'PL', 'Mazowieckie'], birth_date: '1988-11-12', hired: 1700 },
  },
  lead: {
    ...{ name: ['Mei', 'Tanaka'], role: 'Project manager', job: ['Producer', 'Delivery', 78] },
    ...{ home: ['Asia/Tokyo', 'JP', 'Tokyo'], avatar: 'mei.png', birth_date: '1990-05-21', hired: 980 },
  },
  second: {
    ...{ name: ['Lucas', 'Ferreira'], role: 'Project manager', job: ['Producer', 'Delivery', 76] },
    ...{ home: ['America/Sao_Paulo', 'BR', 'São Paulo'], hired: 620 },
  },
  designer: {
    ...{ name: ['Aoife', 'Byrne'], job: ['Designer', 'Design', 60] },
    ...{ home: ['Europe/Dublin', 'IE'], birth_date: '1993-04-17' },
  },
  engineer: {
    ...{ name: ['Arjun', 'Nair'], job: ['Engineer', 'Engineering', 64], weekly_hours_limit: 45 },
    ...{ home: ['Asia/Kolkata', 'IN', 'Kerala'], preferred_timezone: 'Europe/Berlin' },
    ...{ birth_date: '1996-02-09', hired: 540 },
  },
  inactive: {
    ...{ name: ['Elif', 'Yıldız'], job: ['Illustrator', 'Design', 55], home: ['Europe/Istanbul'] },
    status: 'inactive',
  },
  archived: {
    ...{ name: ['Daniel', 'Kovács'], job: ['Engineer', 'Engineering', 62], home: ['Europe/Budapest', 'HU'] },
    ...{ status: 'left', status_before: 'active', birth_date: '1986-10-30', hired: 1430 },
  },
  client: { name: ['Priya', 'Raman'], role: 'Project viewer', home: ['Europe/London'] },
  guest: { name: ['Jonas', 'Weber'], role: 'Project viewer' },
} as const satisfies Readonly<Record<string, DemoPerson>>;

type People = Readonly<Record<keyof typeof PEOPLE, Membership>>;

/**
 * A small studio of fourteen people, with something in every state, and a second workspace in which the owner of
 * the first is a Regular User, so that the wrong role can be tried.
 */
export function seedDemo(options: build.SeedOptions): World {
  const { now } = options;
  const place = build.createWorld('demo', options, 'Lindenhof Studio');
  const { world } = place;
  const added = Object.entries<DemoPerson>(PEOPLE).map(([key, person]) => {
    const { name, job: [title, team_name, rate] = [], home = ['Europe/Berlin'], hired, ...rest } = person;
    const [zone, tax_country, tax_state] = home;
    const membership = build.addPerson(place, {
      email: `${name[0].toLowerCase()}@lindenhof.example`,
      ...{ name, zone, title, team_name, tax_country, tax_state },
      ...(rate === undefined ? {} : { rate }),
      ...(hired === undefined ? {} : { hired_at: build.toTimeAgo(place, hired) }),
      ...rest,
    });
    return [key, membership];
  });
  const people: People = Object.fromEntries(added);
  people.archived.deleted_at = build.toTimeAgo(place, 60);
  const projects = addProjects(place);
  people.client.viewer_projects.push(projects.site.id, projects.app.id);
  people.guest.viewer_projects.push(projects.brand.id);
  addWork(place, people, projects);
  const travel = records.addRecord(place, 'categories', { name: 'Travel' }).id;
  const software = records.addRecord(place, 'categories', { name: 'Software' }).id;
  const meals = records.addRecord(place, 'categories', { name: 'Meals' }).id;
  const { owner, lead, second } = people;
  const trip = { category_id: travel, project_id: projects.site.id, is_billable: true };
  build.addExpense(place, lead.user_id, 'Train to the harbour', 48.6, 9, trip);
  build.addExpense(place, owner.user_id, 'Typeface licence', 240, 25, { category_id: software });
  const lunch = { category_id: meals, project_id: projects.brand.id, note: 'Four people' };
  build.addExpense(place, second.user_id, 'Lunch with the bakery', 62.15, 13, lunch);
  build.addExpense(place, owner.user_id, 'Parking', 7.5, 3);
  for (const [url, ...events] of [
    ['http://127.0.0.1:8787/events', 'tracker.started', 'tracker.stopped'],
    ['https://hooks.lindenhof.example/people', 'member.invited', 'member.archived'],
  ] as const)
    records.addRecord(place, 'webhooks', { url, events });
  const workspace_id = place.workspace.id;
  const started_at = new Date(now - 47 * 60_000).toISOString();
  for (const { user_id, project_id, id: contract_id } of Object.values(place.workspace.contracts))
    if (
      (user_id === owner.user_id && project_id === projects.inner.id) ||
      (user_id === people.engineer.user_id && project_id === projects.app.id)
    )
      world.trackers[user_id] = { user_id, workspace_id, contract_id, task_id: null, started_at };

  // Somebody else's workspace: the owner of the first is a Regular User there.
  const neighbour = build.addWorkspace(world, now, 'Fjordworks');
  const ingrid = {
    email: 'ingrid@fjordworks.example',
    name: ['Ingrid', 'Solheim'] as const,
    zone: 'Europe/Oslo',
  };
  build.addPerson(neighbour, { ...ingrid, role: 'Owner', rate_status: 1 });
  const boats = build.addProject(neighbour, 'Boat house');
  const nora = { email: 'nora@lindenhof.example', name: PEOPLE.owner.name, zone: 'Europe/Stockholm' };
  const guest = build.addPerson(neighbour, nora).user_id;
  build.addContract(neighbour, boats, guest);
  build.addSheet(neighbour, guest, 1, 'submitted', 480);

  // An application to try `auth login` with; its secret is no secret.
  const app = { client_id: 'sbx_app_demo', client_secret: 'sbx_secret_demo', name: 'ttctl' };
  const redirect_uri = 'http://127.0.0.1:8484/callback';
  const registration = { redirect_uri, user_id: owner.user_id, created_ms: now };
  getOAuth(world).apps['sbx_app_demo'] = { ...app, grant: 'authorization-code', ...registration };
  build.addPast(place);
  addThisWeek(place, people, projects);
  return world;
}

/** Who began last week and has not submitted it, and who is away today, in any time zone. Last, too: earlier ids stay. */
function addThisWeek(place: Place, { blind }: People, { care }: ReturnType<typeof addProjects>): void {
  const hired_at = `${build.toMondayAgo(place, 1)}T09:00:00.000Z`;
  const began = { hired_at, created_at: hired_at, updated_at: hired_at, team_name: 'Content', rate: 52 };
  const begin = (email: string, name: readonly [string, string], title: string) =>
    build.addContract(place, care, build.addPerson(place, { email, name, title, ...began }).user_id);
  begin('ida@lindenhof.example', ['Ida', 'Larsen'], 'Copywriter');
  begin('ravi@lindenhof.example', ['Ravi', 'Menon'], 'Translator');
  const [holiday] = Object.values(place.workspace.leave_policies);
  if (holiday !== undefined) build.addLeave(place, blind.user_id, holiday, 1, 3, 'approved', 'Family visit');
}

const REASON =
  'Thursday is missing, and Friday has the whole evening of the release on the website. Please move it to the ferry app, add Thursday, and submit it again.';

function addProjects(place: Place) {
  const add = (name: string, more: Partial<Project>) => build.addProject(place, name, more);
  return {
    site: add('Harbour website', {
      ...{ estimation: 320, budget_estimation: 28000, icon: 'anchor', deadline: build.toDayAgo(place, -45) },
      tags: [{ id: 1, name: 'client', color: '#2f80ed' }],
    }),
    app: add('Ferry timetable app', {
      ...{ estimation: 540, budget_estimation: 51000, icon: 'ship', rate: 105 },
      notes: 'Second phase begins after the summer',
    }),
    brand: add('Bakery rebrand', { estimation: 80, rate: 75, icon: 'bread' }),
    inner: add('Internal', { is_billable: false, rate: null }),
    care: add('Support and care', { weekly_hours_limit: 20, rate: 85 }),
    archived: add('Museum kiosk', { deleted_at: build.toTimeAgo(place, 90) }),
  };
}

function addWork(place: Place, people: People, projects: ReturnType<typeof addProjects>): void {
  const { owner, executive, team, lead, second, designer, engineer } = people;
  const { site, app, brand, inner, care } = projects;
  const contract = (project: Project, person: Membership, more: Partial<Contract> = {}) =>
    build.addContract(place, project, person.user_id, more);
  const leadSite = contract(site, lead);
  const designerSite = contract(site, designer, { rate: 70, rate_type: 1 });
  const engineerSite = contract(site, engineer, { rate_type: 3 });
  contract(app, lead, { weekly_hours_limit: 20 });
  const engineerApp = contract(app, engineer, { screenshots: 'blurred' });
  contract(brand, second);
  contract(brand, team, { weekly_hours_limit: 10 });
  contract(brand, people.inactive, { status: 'paused' });
  contract(inner, owner, { screenshots: 'no_screenshot' });
  contract(inner, executive, { screenshots: 'no_screenshot' });
  const secondCare = contract(care, second, { weekly_hours_limit: 20 });
  contract(care, engineer, { weekly_hours_limit: 8 });

  const [done, doneBefore] = [build.toTimeAgo(place, 12), build.toTimeAgo(place, 30)];
  const home = build.addTask(place, site, 'Home page layout', { status: 10, priority: 20 });
  build.addTask(place, site, 'Photographs of the quay', { status: 20, completed_at: done });
  const [start_date, end_date] = [build.toDayAgo(place, -3), build.toDayAgo(place, -10)];
  build.addTask(place, site, 'Accessibility review', { priority: 10, start_date, end_date });
  const tides = { status: 10, description: 'Tides included' };
  const offline = build.addTask(place, app, 'Offline timetable', tides);
  build.addTask(place, app, 'Push notifications', { priority: 40 });
  build.addTask(place, brand, 'Colour proofs', { status: 30, completed_at: doneBefore });
  build.addTask(place, brand, 'Shop sign', { priority: null });
  build.addTask(place, care, 'Monthly updates');
  for (const [task, { user_id }] of [
    [home, designer],
    [home, engineer],
    [offline, engineer],
  ] as const)
    records.addRecord(place, 'assignments', { task_id: task.id, user_id, assigner_id: lead.user_id });

  // Last week waits for a decision; the weeks before are decided; this week is open.
  for (const { user_id } of [executive, team, lead, second, designer, engineer, owner]) {
    build.addSheet(place, user_id, 0, 'open', 600);
    build.addSheet(place, user_id, 1, 'submitted', build.drawWeekMinutes(place));
    build.addSheet(place, user_id, 2, 'approved', build.drawWeekMinutes(place));
  }
  build.addSheet(place, engineer.user_id, 3, 'rejected', 1710, REASON);
  build.addSheet(place, designer.user_id, 3, 'approved', 2280);

  const holiday = records.addRecord(place, 'leave_policies', { name: 'Annual leave', duration: 28 });
  const sick = records.addRecord(place, 'leave_policies', { name: 'Sick leave', duration: 10 });
  const own = { name: 'Unpaid leave', is_paid: false, duration: 20 };
  const unpaid = records.addRecord(place, 'leave_policies', own);
  build.addLeave(place, designer.user_id, holiday, -14, 5, 'pending', 'Walking in Kerry');
  build.addLeave(place, engineer.user_id, holiday, -30, 8, 'pending', 'Onam with family');
  build.addLeave(place, second.user_id, unpaid, -7, 2, 'pending');
  build.addLeave(place, lead.user_id, sick, 20, 2, 'approved');
  build.addLeave(place, team.user_id, holiday, 50, 5, 'approved', 'Tatra mountains');
  build.addLeave(place, engineer.user_id, unpaid, 35, 3, 'rejected');
  build.addTimeRequest(place, designerSite, 2, 'pending', 'Client workshop, no laptop');
  build.addTimeRequest(place, engineerApp, 3, 'pending', 'Release call').task_id = offline.id;
  build.addTimeRequest(place, secondCare, 4, 'pending');
  build.addTimeRequest(place, leadSite, 15, 'approved', 'Site visit');
  build.addTimeRequest(place, engineerSite, 16, 'rejected');
}
