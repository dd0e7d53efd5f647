import { blank, type Case, gone, list, one, type Shown } from './case.ts';

const leaf = (status: string): Shown => ({
  '/leaves': list({ id: 'other', status: 'x' }, { id: 'l1', status }),
});
const asked = (status: string): Shown => ({ '/time-requests/t1': one({ id: 't1', status }) });

const request =
  'time-requests create --member 17 --contract 21 --start 2026-11-20T09:00+01:00 --end 2026-11-20T12:00+01:00';
const time = { id: 'a', contract_id: 21, start: '2026-11-20T08:00:00.000Z', end: '2026-11-20T11:00:00Z' };
const requests = (...rows: object[]): Shown => ({ '/time-requests': list(...rows) });

const expense = 'expenses create --name Train --date 2026-11-20 --amount 48.6 --category 4';
const train = { id: 'e1', expense_name: 'Train', amount: '48.60', expense_date: 'Nov 20, 2026' };
const expenses = (...rows: object[]): Shown => ({ '/expenses': list(...rows) });

const update = 'expenses update e1 --name Train --date 2026-11-20 --amount 48.6 --category 4';
const names: Shown = {
  '/expenses/categories': list({ id: 4, name: 'Travel' }),
  '/projects': list({ id: 9, name: 'Harbour' }),
};
const booked = { ...train, category: 'Travel', project: 'Harbour', type: 'billable', note: null };
const shown = (row: object): Shown => ({ ...names, ...expenses(row) });

const webhook = 'webhooks create --url https://h.example --event a,b';
const hook = { id: 'w1', url: 'https://h.example', events: ['b', 'a'] };
const hooks = (...rows: object[]): Shown => ({ '/webhooks': list(...rows) });
const hookUpdate = 'webhooks update w1 --url https://h.example --event a,b';

/** Leaves, time requests, expenses, webhooks. */
export const timeAndMoney: readonly Case[] = [
  { command: 'leaves approve l1 --yes', after: leaf('approved'), become: 'done' },
  { command: 'leaves approve l1 --yes', after: leaf('pending'), become: 'not done' },
  { command: 'leaves approve l1 --yes', after: leaf('rejected'), become: 'not done' },
  // The document does not name the states that follow.
  { command: 'leaves approve l1 --yes', after: leaf('granted'), become: 'unclear' },
  { command: 'leaves approve l1 --yes', after: { '/leaves': list() }, become: 'unclear' },
  { command: 'leaves reject l1 --reason no --yes', after: leaf('refused'), become: 'unclear' },
  { command: 'leaves reject l1 --reason no --yes', after: leaf('rejected'), become: 'done' },
  { command: 'leaves reject l1 --reason no --yes', after: leaf('approved'), become: 'not done' },

  { command: 'time-requests approve t1 --yes', after: asked('approved'), become: 'done' },
  { command: 'time-requests approve t1 --yes', after: asked('pending'), become: 'not done' },
  { command: 'time-requests approve t1 --yes', after: { '/time-requests/t1': gone }, become: 'unclear' },
  { command: 'time-requests reject t1 --comment no --yes', after: asked('pending'), become: 'not done' },
  { command: 'time-requests reject t1 --comment no --yes', after: asked('approved'), become: 'not done' },
  { command: 'time-requests reject t1 --comment no --yes', after: asked('refused'), become: 'unclear' },
  { command: 'time-requests reject t1 --comment no --yes', after: gone, become: 'unclear' },
  { command: 'time-requests reject t1 --comment no --yes', after: asked('rejected'), become: 'done' },
  { command: request, before: requests(), after: requests(time), become: 'done' },
  { command: request, before: requests(time), after: requests(time), become: 'not done' },
  { command: request, before: requests(time), after: requests(time, { ...time, id: 'b' }), become: 'done' },
  { command: request, before: requests(), after: requests({ ...time, contract_id: 22 }), become: 'not done' },
  {
    command: request,
    before: requests(),
    after: requests({ ...time, end: '2026-11-20T11:01:00Z' }),
    become: 'not done',
  },
  { command: request, before: { '/time-requests': gone }, after: requests(time), become: 'unclear' },

  { command: expense, before: expenses(), after: expenses(train), become: 'done' },
  { command: expense, before: expenses(train), after: expenses(train), become: 'not done' },
  {
    command: expense,
    before: expenses(train),
    after: expenses(train, { ...train, id: 'e2' }),
    become: 'done',
  },
  { command: expense, before: expenses(), after: expenses({ ...train, amount: 48 }), become: 'not done' },
  { command: expense, before: gone, after: expenses(train), become: 'unclear' },
  { command: update, after: shown(booked), become: 'done' },
  { command: update, after: shown({ ...booked, expense_date: '2026-11-20' }), become: 'done' },
  { command: update, after: shown({ ...booked, expense_date: 'Nov 21, 2026' }), become: 'not done' },
  { command: update, after: shown({ ...booked, amount: 48.5 }), become: 'not done' },
  { command: update, after: shown({ ...booked, category: 'Meals' }), become: 'not done' },
  { command: update, after: shown({ ...booked, category: undefined }), become: 'unclear' },
  { command: update, after: { ...expenses(booked), '/expenses/categories': list() }, become: 'unclear' },
  {
    command: `${update} --project 9 --billable --note x`,
    after: shown({ ...booked, note: 'x' }),
    become: 'done',
  },
  { command: `${update} --project 9`, after: shown({ ...booked, project: null }), become: 'not done' },
  { command: `${update} --no-billable`, after: shown(booked), become: 'not done' },
  { command: update, after: expenses(), become: 'unclear' },
  { command: 'expenses delete e1 --yes', after: gone, become: 'unclear' },
  { command: 'expenses delete e1 --yes', after: expenses(), become: 'done' },
  { command: 'expenses delete e1 --yes', after: expenses({ ...train, id: 'e2' }), become: 'done' },
  { command: 'expenses delete e1 --yes', after: expenses(train), become: 'not done' },

  { command: webhook, before: hooks(), after: hooks(hook), become: 'done' },
  { command: webhook, before: hooks(hook), after: hooks(hook), become: 'not done' },
  { command: webhook, before: hooks(), after: hooks({ ...hook, events: ['a'] }), become: 'not done' },
  { command: webhook, before: gone, after: hooks(hook), become: 'unclear' },
  { command: hookUpdate, after: { '/webhooks/w1': one(hook) }, become: 'done' },
  {
    command: hookUpdate,
    after: { '/webhooks/w1': one({ ...hook, url: 'https://old' }) },
    become: 'not done',
  },
  { command: hookUpdate, after: { '/webhooks/w1': gone }, become: 'unclear' },
  { command: 'webhooks delete w1 --yes', after: { '/webhooks/w1': blank }, become: 'unclear' },
  { command: 'webhooks delete w1 --yes', after: { '/webhooks/w1': gone }, become: 'done' },
  { command: 'webhooks delete w1 --yes', after: { '/webhooks/w1': one(hook) }, become: 'not done' },
];
