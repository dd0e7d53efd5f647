import type { Contract } from '../records.ts';
import type { Membership, World } from '../world.ts';
import * as build from './builder.ts';
import { addApp, addNeighbour, addPeople } from './demo-people.ts';
import * as entry from './entries.ts';

/**
 * A small studio of twelve people, with something in every state, and a second workspace in which the owner of
 * the first is a Regular User, so that the wrong role can be tried.
 */

type People = ReturnType<typeof addPeople>;

const addProjects = (context: build.SeedContext, people: People) => {
  const site = build.addProject(context, 'Harbour website', {
    estimation: 320,
    budget_estimation: 28000,
    icon: 'anchor',
    deadline: build.toDayAgo(context, -45),
    tags: [{ id: 1, name: 'client', color: '#2f80ed' }],
  });
  const app = build.addProject(context, 'Ferry timetable app', {
    estimation: 540,
    budget_estimation: 51000,
    icon: 'ship',
    rate: 105,
    notes: 'Second phase begins after the summer',
  });
  const brand = build.addProject(context, 'Bakery rebrand', { estimation: 80, rate: 75, icon: 'bread' });
  const inner = build.addProject(context, 'Internal', { is_billable: false, rate: null });
  const care = build.addProject(context, 'Support and care', { weekly_hours_limit: 20, rate: 85 });
  build.addProject(context, 'Museum kiosk', { deleted_at: build.toTimeAgo(context, 90) });
  people.client.viewer_projects.push(site.id, app.id);
  people.guest.viewer_projects.push(brand.id);
  return { site, app, brand, inner, care };
};

type Projects = ReturnType<typeof addProjects>;

const addContracts = (context: build.SeedContext, people: People, projects: Projects) => {
  const addContract = (
    project: keyof Projects,
    person: keyof People,
    overrides: Partial<Contract> = {},
  ): Contract => build.addContract(context, projects[project], people[person].user_id, overrides);
  return {
    leadSite: addContract('site', 'lead'),
    designerSite: addContract('site', 'designer', { rate: 70, rate_type: 1 }),
    engineerSite: addContract('site', 'engineer', { rate_type: 3 }),
    leadApp: addContract('app', 'lead', { weekly_hours_limit: 20 }),
    engineerApp: addContract('app', 'engineer', { screenshots: 'blurred' }),
    secondBrand: addContract('brand', 'second'),
    teamBrand: addContract('brand', 'team', { weekly_hours_limit: 10 }),
    inactiveBrand: addContract('brand', 'inactive', { status: 'paused' }),
    ownerInner: addContract('inner', 'owner', { screenshots: 'no_screenshot' }),
    executiveInner: addContract('inner', 'executive', { screenshots: 'no_screenshot' }),
    secondCare: addContract('care', 'second', { weekly_hours_limit: 20 }),
    engineerCare: addContract('care', 'engineer', { weekly_hours_limit: 8 }),
  };
};

const addTasks = (context: build.SeedContext, people: People, projects: Projects) => {
  const { site, app, brand, care } = projects;
  const home = build.addTask(context, site, 'Home page layout', { status: 10, priority: 20 });
  build.addTask(context, site, 'Photographs of the quay', {
    status: 20,
    completed_at: build.toTimeAgo(context, 12),
  });
  build.addTask(context, site, 'Accessibility review', {
    priority: 10,
    start_date: build.toDayAgo(context, -3),
    end_date: build.toDayAgo(context, -10),
  });
  const offline = build.addTask(context, app, 'Offline timetable', {
    status: 10,
    description: 'Tides included',
  });
  build.addTask(context, app, 'Push notifications', { priority: 40 });
  build.addTask(context, brand, 'Colour proofs', { status: 30, completed_at: build.toTimeAgo(context, 30) });
  build.addTask(context, brand, 'Shop sign', { priority: null });
  build.addTask(context, care, 'Monthly updates');
  const assign = (task: number, user: Membership): void => {
    const id = context.world.next_id;
    context.world.next_id += 1;
    context.workspace.assignments[id] = {
      id,
      task_id: task,
      user_id: user.user_id,
      assigner_id: people.lead.user_id,
    };
  };
  assign(home.id, people.designer);
  assign(home.id, people.engineer);
  assign(offline.id, people.engineer);
  return { offline };
};

/** Last week waits for a decision; the weeks before are decided; this week is open. */
const addSheets = (context: build.SeedContext, people: People): void => {
  const workers = [
    people.executive,
    people.team,
    people.lead,
    people.second,
    people.designer,
    people.engineer,
    people.owner,
  ];
  for (const worker of workers) {
    entry.addSheet(context, worker.user_id, 0, 'open', 600);
    entry.addSheet(context, worker.user_id, 1, 'submitted', entry.drawWeekMinutes(context));
    entry.addSheet(context, worker.user_id, 2, 'approved', entry.drawWeekMinutes(context));
  }
  const reason = 'Thursday is missing';
  entry.addSheet(context, people.engineer.user_id, 3, 'rejected', 1710, reason);
  entry.addSheet(context, people.designer.user_id, 3, 'approved', 2280);
};

interface WorkRecords {
  readonly contracts: ReturnType<typeof addContracts>;
  readonly tasks: ReturnType<typeof addTasks>;
}

const addRequests = (context: build.SeedContext, people: People, { contracts, tasks }: WorkRecords): void => {
  const holiday = entry.addPolicy(context, 'Annual leave', true, 28);
  const sick = entry.addPolicy(context, 'Sick leave', true, 10);
  const unpaid = entry.addPolicy(context, 'Unpaid leave', false, 20);
  entry.addLeave(context, people.designer.user_id, holiday, -14, 5, 'pending', 'Walking in Kerry');
  entry.addLeave(context, people.engineer.user_id, holiday, -30, 8, 'pending', 'Onam with family');
  entry.addLeave(context, people.second.user_id, unpaid, -7, 2, 'pending');
  entry.addLeave(context, people.lead.user_id, sick, 20, 2, 'approved');
  entry.addLeave(context, people.team.user_id, holiday, 50, 5, 'approved', 'Tatra mountains');
  entry.addLeave(context, people.engineer.user_id, unpaid, 35, 3, 'rejected');
  entry.addTimeRequest(context, contracts.designerSite, 2, 'pending', 'Client workshop, no laptop');
  const request = entry.addTimeRequest(context, contracts.engineerApp, 3, 'pending', 'Release call');
  request.task_id = tasks.offline.id;
  entry.addTimeRequest(context, contracts.secondCare, 4, 'pending');
  entry.addTimeRequest(context, contracts.leadSite, 15, 'approved', 'Site visit');
  entry.addTimeRequest(context, contracts.engineerSite, 16, 'rejected');
};

const addExpenses = (context: build.SeedContext, people: People, projects: Projects): void => {
  const travel = entry.addCategory(context, 'Travel');
  const software = entry.addCategory(context, 'Software');
  const meals = entry.addCategory(context, 'Meals');
  const siteFields = { project_id: projects.site.id, is_billable: true };
  entry.addExpense(context, people.lead.user_id, 'Train to the harbour', 48.6, 9, {
    category_id: travel.id,
    ...siteFields,
  });
  entry.addExpense(context, people.owner.user_id, 'Typeface licence', 240, 25, { category_id: software.id });
  entry.addExpense(context, people.second.user_id, 'Lunch with the bakery', 62.15, 13, {
    category_id: meals.id,
    project_id: projects.brand.id,
    note: 'Four people',
  });
  entry.addExpense(context, people.owner.user_id, 'Parking', 7.5, 3, { category_id: null });
};

export const seedDemo = (options: build.SeedOptions): World => {
  const world = build.createWorld('demo', options);
  const context = build.addWorkspace(world, options.now, 'Lindenhof Studio', 0);
  const people = addPeople(context);
  context.workspace.owner_id = people.owner.user_id;
  const projects = addProjects(context, people);
  const contracts = addContracts(context, people, projects);
  const tasks = addTasks(context, people, projects);
  addSheets(context, people);
  addRequests(context, people, { contracts, tasks });
  addExpenses(context, people, projects);
  entry.addWebhook(context, 'http://127.0.0.1:8787/events', ['tracker.started', 'tracker.stopped']);
  entry.addWebhook(context, 'https://hooks.lindenhof.example/people', ['member.invited', 'member.archived']);
  for (const [person, contract] of [
    [people.owner, contracts.ownerInner],
    [people.engineer, contracts.engineerApp],
  ] as const) {
    world.trackers[person.user_id] = {
      user_id: person.user_id,
      workspace_id: context.workspace.id,
      contract_id: contract.id,
      task_id: null,
      started_at: new Date(options.now - 47 * 60_000).toISOString(),
    };
  }
  addNeighbour(world, options.now);
  addApp(world, people.owner, options.now);
  entry.addPast(context);
  return world;
};

/** A workspace with its owner and nothing else. */
export const seedEmpty = (options: build.SeedOptions): World => {
  const world = build.createWorld('empty', options);
  const context = build.addWorkspace(world, options.now, 'New workspace', 0);
  const owner = build.addPerson(context, {
    email: 'owner@new.example',
    name: ['Robin', 'Castellano'],
    role: 'Owner',
    rate_status: 1,
    zone: 'UTC',
  });
  context.workspace.owner_id = owner.user_id;
  return world;
};
