import type { Membership } from '../world.ts';
import * as build from './builder.ts';

/** The twelve of the demo: every role, one inactive, one archived, two project viewers. */
export const addPeople = (plot: build.Plot) => {
  const person = (email: string, first: string, last: string, more: Partial<build.PersonSeed>): Membership =>
    build.addPerson(plot, { email: `${email}@lindenhof.example`, name: [first, last], ...more });
  return {
    owner: person('nora', 'Nora', 'Lindqvist', {
      role: 'Owner',
      title: 'Founder',
      team_name: 'Studio',
      rate: 120,
      rate_status: 1,
      avatar: 'nora.png',
      zone: 'Europe/Stockholm',
    }),
    executive: person('samir', 'Samir', 'Haddad', {
      role: 'Executive manager',
      title: 'Operations',
      team_name: 'Studio',
      rate: 95,
      rate_status: 1,
    }),
    blind: person('grace', 'Grace', 'Okafor', {
      role: 'Executive manager',
      title: 'People',
      team_name: 'Studio',
      rate: 88,
      zone: 'Africa/Lagos',
    }),
    team: person('tomasz', 'Tomasz', 'Zieliński', {
      role: 'Team manager',
      title: 'Head of design',
      team_name: 'Design',
      rate: 80,
      manages_teams: ['Design'],
      zone: 'Europe/Warsaw',
    }),
    lead: person('mei', 'Mei', 'Tanaka', {
      role: 'Project manager',
      title: 'Producer',
      team_name: 'Delivery',
      rate: 78,
      avatar: 'mei.png',
      zone: 'Asia/Tokyo',
    }),
    second: person('lucas', 'Lucas', 'Ferreira', {
      role: 'Project manager',
      title: 'Producer',
      team_name: 'Delivery',
      rate: 76,
      zone: 'America/Sao_Paulo',
    }),
    designer: person('aoife', 'Aoife', 'Byrne', {
      title: 'Designer',
      team_name: 'Design',
      rate: 60,
      birth_date: '1993-04-17',
      zone: 'Europe/Dublin',
    }),
    engineer: person('arjun', 'Arjun', 'Nair', {
      title: 'Engineer',
      team_name: 'Engineering',
      rate: 64,
      zone: 'Asia/Kolkata',
      weekly_hours_limit: 45,
    }),
    inactive: person('elif', 'Elif', 'Yıldız', {
      title: 'Illustrator',
      team_name: 'Design',
      rate: 55,
      status: 'inactive',
      zone: 'Europe/Istanbul',
    }),
    archived: person('daniel', 'Daniel', 'Kovács', {
      title: 'Engineer',
      team_name: 'Engineering',
      rate: 62,
      status: 'left',
      status_before: 'active',
      deleted_at: build.daysAgo(plot, 60),
      zone: 'Europe/Budapest',
    }),
    client: person('priya', 'Priya', 'Raman', { role: 'Project viewer', zone: 'Europe/London' }),
    guest: person('jonas', 'Jonas', 'Weber', { role: 'Project viewer' }),
  };
};
