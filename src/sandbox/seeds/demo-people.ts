import { getOAuth } from '../oauth/apps.ts';
import type { Membership, World } from '../world.ts';
import * as build from './builder.ts';
import * as entry from './entries.ts';

interface DemoPerson extends Omit<build.PersonSeed, 'hired_at' | 'deleted_at'> {
  readonly hiredDaysAgo?: number;
  readonly deletedDaysAgo?: number;
}

/** The twelve of the demo: every role, one inactive, one archived, two project viewers. */
const PEOPLE = {
  owner: {
    email: 'nora@lindenhof.example',
    name: ['Nora', 'Lindqvist'],
    role: 'Owner',
    title: 'Founder',
    team_name: 'Studio',
    rate: 120,
    rate_status: 1,
    avatar: 'nora.png',
    zone: 'Europe/Stockholm',
    preferred_timezone: 'Europe/Berlin',
    birth_date: '1979-08-03',
    hiredDaysAgo: 2900,
    tax_country: 'SE',
    tax_state: 'Stockholm',
  },
  executive: {
    email: 'samir@lindenhof.example',
    name: ['Samir', 'Haddad'],
    role: 'Executive manager',
    title: 'Operations',
    team_name: 'Studio',
    rate: 95,
    rate_status: 1,
    birth_date: '1984-01-26',
    hiredDaysAgo: 2300,
    tax_country: 'DE',
    tax_state: 'Berlin',
  },
  blind: {
    email: 'grace@lindenhof.example',
    name: ['Grace', 'Okafor'],
    role: 'Executive manager',
    title: 'People',
    team_name: 'Studio',
    rate: 88,
    zone: 'Africa/Lagos',
    preferred_timezone: 'Europe/Berlin',
    hiredDaysAgo: 1250,
    tax_country: 'NG',
    tax_state: 'Lagos',
  },
  team: {
    email: 'tomasz@lindenhof.example',
    name: ['Tomasz', 'Zieliński'],
    role: 'Team manager',
    title: 'Head of design',
    team_name: 'Design',
    rate: 80,
    zone: 'Europe/Warsaw',
    birth_date: '1988-11-12',
    hiredDaysAgo: 1700,
    tax_country: 'PL',
    tax_state: 'Mazowieckie',
  },
  lead: {
    email: 'mei@lindenhof.example',
    name: ['Mei', 'Tanaka'],
    role: 'Project manager',
    title: 'Producer',
    team_name: 'Delivery',
    rate: 78,
    avatar: 'mei.png',
    zone: 'Asia/Tokyo',
    birth_date: '1990-05-21',
    hiredDaysAgo: 980,
    tax_country: 'JP',
    tax_state: 'Tokyo',
  },
  second: {
    email: 'lucas@lindenhof.example',
    name: ['Lucas', 'Ferreira'],
    role: 'Project manager',
    title: 'Producer',
    team_name: 'Delivery',
    rate: 76,
    zone: 'America/Sao_Paulo',
    hiredDaysAgo: 620,
    tax_country: 'BR',
    tax_state: 'São Paulo',
  },
  designer: {
    email: 'aoife@lindenhof.example',
    name: ['Aoife', 'Byrne'],
    title: 'Designer',
    team_name: 'Design',
    rate: 60,
    birth_date: '1993-04-17',
    zone: 'Europe/Dublin',
    tax_country: 'IE',
  },
  engineer: {
    email: 'arjun@lindenhof.example',
    name: ['Arjun', 'Nair'],
    title: 'Engineer',
    team_name: 'Engineering',
    rate: 64,
    zone: 'Asia/Kolkata',
    preferred_timezone: 'Europe/Berlin',
    birth_date: '1996-02-09',
    hiredDaysAgo: 540,
    tax_country: 'IN',
    tax_state: 'Kerala',
    weekly_hours_limit: 45,
  },
  inactive: {
    email: 'elif@lindenhof.example',
    name: ['Elif', 'Yıldız'],
    title: 'Illustrator',
    team_name: 'Design',
    rate: 55,
    status: 'inactive',
    zone: 'Europe/Istanbul',
  },
  archived: {
    email: 'daniel@lindenhof.example',
    name: ['Daniel', 'Kovács'],
    title: 'Engineer',
    team_name: 'Engineering',
    rate: 62,
    status: 'left',
    status_before: 'active',
    deletedDaysAgo: 60,
    zone: 'Europe/Budapest',
    birth_date: '1986-10-30',
    hiredDaysAgo: 1430,
    tax_country: 'HU',
  },
  client: {
    email: 'priya@lindenhof.example',
    name: ['Priya', 'Raman'],
    role: 'Project viewer',
    zone: 'Europe/London',
  },
  guest: { email: 'jonas@lindenhof.example', name: ['Jonas', 'Weber'], role: 'Project viewer' },
} as const satisfies Readonly<Record<string, DemoPerson>>;

const addDemoPerson = (
  context: build.SeedContext,
  { hiredDaysAgo, deletedDaysAgo, ...person }: DemoPerson,
): Membership =>
  build.addPerson(context, {
    ...person,
    ...(hiredDaysAgo === undefined ? {} : { hired_at: build.toTimeAgo(context, hiredDaysAgo) }),
    ...(deletedDaysAgo === undefined ? {} : { deleted_at: build.toTimeAgo(context, deletedDaysAgo) }),
  });

/** Adds them in their order. */
export const addPeople = (context: build.SeedContext) => {
  const entries = Object.entries(PEOPLE).map(([key, person]) => [key, addDemoPerson(context, person)]);
  return Object.fromEntries(entries) as Readonly<Record<keyof typeof PEOPLE, Membership>>;
};

/**
 * An application to try `auth login` with. Its secret is no secret: client id `sbx_app_demo`, client secret
 * `sbx_secret_demo`, redirect address http://127.0.0.1:8484/callback.
 */
export const addApp = (world: World, owner: Membership, now: number): void => {
  const { apps } = getOAuth(world);
  apps['sbx_app_demo'] = {
    client_id: 'sbx_app_demo',
    client_secret: 'sbx_secret_demo',
    name: 'ttctl',
    grant: 'authorization-code',
    redirect_uri: 'http://127.0.0.1:8484/callback',
    user_id: owner.user_id,
    created_ms: now,
  };
};

/** Somebody else's workspace: the owner of the first is a Regular User here. */
export const addNeighbour = (world: World, now: number): void => {
  const owner = { email: 'ingrid@fjordworks.example', name: ['Ingrid', 'Solheim'] } as const;
  const context = build.addWorkspace(world, now, 'Fjordworks', 0);
  const ownerMembership = build.addPerson(context, {
    ...owner,
    role: 'Owner',
    rate_status: 1,
    zone: 'Europe/Oslo',
  });
  context.workspace.owner_id = ownerMembership.user_id;
  const project = build.addProject(context, 'Boat house', { owner_id: ownerMembership.user_id });
  const guest = build.addPerson(context, {
    email: 'nora@lindenhof.example',
    name: ['Nora', 'Lindqvist'],
    zone: 'Europe/Stockholm',
    avatar: 'nora.png',
  });
  build.addContract(context, project, guest.user_id);
  entry.addSheet(context, guest.user_id, 1, 'submitted', 480);
};
