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
  '/projects/9': one({ id: 9, name: 'Harbour' }),
};
const booked = { ...train, category: 'Travel', project: 'Harbour', type: 'billable', note: null };
const shown = (row: object): Shown => ({ ...names, ...expenses(row) });

const webhook = 'webhooks create --url https://h.example --event a,b';
const hook = { id: 'w1', url: 'https://h.example', events: ['b', 'a'] };
const hooks = (...rows: object[]): Shown => ({ '/webhooks': list(...rows) });
const hookUpdate = 'webhooks update w1 --url https://h.example --event a,b';

/** Leaves, time requests, expenses, webhooks, the tracker. */
export const timeAndMoney: readonly Case[] = [
  { command: 'leaves approve l1 --yes', after: leaf('approved'), become: 'done' },
  { command: 'leaves approve l1 --yes', after: leaf('pending'), become: 'failed' },
  { command: 'leaves approve l1 --yes', after: leaf('rejected'), become: 'failed' },
  // The document does not name the states that follow.
  { command: 'leaves approve l1 --yes', after: leaf('granted'), become: 'unknown' },
  { command: 'leaves approve l1 --yes', after: { '/leaves': list() }, become: 'unknown' },
  { command: 'leaves reject l1 --reason no --yes', after: leaf('refused'), become: 'unknown' },
  { command: 'leaves reject l1 --reason no --yes', after: leaf('rejected'), become: 'done' },
  { command: 'leaves reject l1 --reason no --yes', after: leaf('approved'), become: 'failed' },

  { command: 'time-requests approve t1 --yes', after: asked('approved'), become: 'done' },
  { command: 'time-requests approve t1 --yes', after: asked('pending'), become: 'failed' },
  { command: 'time-requests approve t1 --yes', after: { '/time-requests/t1': gone }, become: 'unknown' },
  { command: 'time-requests reject t1 --comment no --yes', after: asked('pending'), become: 'failed' },
  { command: 'time-requests reject t1 --comment no --yes', after: asked('approved'), become: 'failed' },
  { command: 'time-requests reject t1 --comment no --yes', after: asked('refused'), become: 'unknown' },
  { command: 'time-requests reject t1 --comment no --yes', after: gone, become: 'unknown' },
  { command: 'time-requests reject t1 --comment no --yes', after: asked('rejected'), become: 'done' },
  { command: request, before: requests(), after: requests(time), become: 'done' },
  { command: request, before: requests(time), after: requests(time), become: 'failed' },
  { command: request, before: requests(time), after: requests(time, { ...time, id: 'b' }), become: 'done' },
  { command: request, before: requests(), after: requests({ ...time, contract_id: 22 }), become: 'failed' },
  {
    command: request,
    before: requests(),
    after: requests({ ...time, end: '2026-11-20T11:01:00Z' }),
    become: 'failed',
  },
  { command: request, before: { '/time-requests': gone }, after: requests(time), become: 'unknown' },

  { command: expense, before: expenses(), after: expenses(train), become: 'done' },
  { command: expense, before: expenses(train), after: expenses(train), become: 'failed' },
  {
    command: expense,
    before: expenses(train),
    after: expenses(train, { ...train, id: 'e2' }),
    become: 'done',
  },
  { command: expense, before: expenses(), after: expenses({ ...train, amount: 48 }), become: 'failed' },
  { command: expense, before: gone, after: expenses(train), become: 'unknown' },
  { command: update, after: shown(booked), become: 'done' },
  { command: update, after: shown({ ...booked, expense_date: '2026-11-20' }), become: 'done' },
  { command: update, after: shown({ ...booked, expense_date: 'Nov 21, 2026' }), become: 'failed' },
  { command: update, after: shown({ ...booked, amount: 48.5 }), become: 'failed' },
  { command: update, after: shown({ ...booked, category: 'Meals' }), become: 'failed' },
  { command: update, after: shown({ ...booked, category: undefined }), become: 'unknown' },
  { command: update, after: { ...expenses(booked), '/expenses/categories': list() }, become: 'unknown' },
  {
    command: `${update} --project 9 --billable --note x`,
    after: shown({ ...booked, note: 'x' }),
    become: 'done',
  },
  { command: `${update} --project 9`, after: shown({ ...booked, project: null }), become: 'failed' },
  { command: `${update} --no-billable`, after: shown(booked), become: 'failed' },
  { command: update, after: expenses(), become: 'unknown' },
  { command: 'expenses delete e1 --yes', after: gone, become: 'unknown' },
  { command: 'expenses delete e1 --yes', after: expenses(), become: 'done' },
  { command: 'expenses delete e1 --yes', after: expenses({ ...train, id: 'e2' }), become: 'done' },
  { command: 'expenses delete e1 --yes', after: expenses(train), become: 'failed' },

  { command: webhook, before: hooks(), after: hooks(hook), become: 'done' },
  { command: webhook, before: hooks(hook), after: hooks(hook), become: 'failed' },
  { command: webhook, before: hooks(), after: hooks({ ...hook, events: ['a'] }), become: 'failed' },
  { command: webhook, before: gone, after: hooks(hook), become: 'unknown' },
  { command: hookUpdate, after: { '/webhooks/w1': one(hook) }, become: 'done' },
  { command: hookUpdate, after: { '/webhooks/w1': one({ ...hook, url: 'https://old' }) }, become: 'failed' },
  { command: hookUpdate, after: { '/webhooks/w1': gone }, become: 'unknown' },
  { command: 'webhooks delete w1 --yes', after: { '/webhooks/w1': blank }, become: 'unknown' },
  { command: 'webhooks delete w1 --yes', after: { '/webhooks/w1': gone }, become: 'done' },
  { command: 'webhooks delete w1 --yes', after: { '/webhooks/w1': one(hook) }, become: 'failed' },

  { command: 'time-tracking stop', after: {}, become: 'unknown' },
];
