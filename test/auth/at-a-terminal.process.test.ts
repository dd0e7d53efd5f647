import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { fakeBrowser, freePort, home, service, useService } from '../support/oauth.ts';
import { promptly } from '../support/process.ts';
import { openTerminal } from '../support/terminal.ts';

/** Signing in at a real terminal: questions, the browser, pasting, Ctrl-C. */

useService({ withSecret: true });
let browser: ReturnType<typeof fakeBrowser>;
let redirect: string;
beforeEach(async () => {
  browser = fakeBrowser(home.folder);
  redirect = `http://127.0.0.1:${await freePort()}/callback`;
});

const login = (more: readonly string[], env: Record<string, string> = {}) =>
  openTerminal(['auth', 'login', '--redirect-uri', redirect, ...more], {
    env: { ...home.env, ...browser.env, ...env },
  });
const get = (url: string) => fetch(url, { redirect: 'manual' });

it('the first sign-in asks for what is missing, opens the browser, ends with a workspace and what to try', async () => {
  service.mood.workspaces = [
    { id: 7, user_id: 17, workspace_name: 'Northwind', role: 'Owner' },
    { id: 8, user_id: 17, workspace_name: 'Southwind', role: 'Executive manager' },
    { id: 9, user_id: 17, workspace_name: 'Elsewhere', role: 'Regular user' },
  ];
  const terminal = login(['--profile', 'work'], {
    TTCTL_CLIENT_SECRET: '',
    TTCTL_CONFIG_DIR: join(home.folder, 'fresh'),
  });
  const answer = async (question: RegExp, keys: string): Promise<void> => {
    await terminal.until(question);
    terminal.type(`${keys}\r`);
  };
  for (const [question, keys] of [
    [/Base URL of the API.*:/, 'http://api.example.com/api/v2'],
    [/must begin with https/, `${service.baseUrl}/`],
    [/Authorization URL.*:/, ''],
    [/Token URL.*:/, ''],
    [/Client id.*:/, service.client.id],
    [/Client secret:/, service.client.secret],
    [/Scopes to request: \(read,write\)/, 'read'],
  ] as const)
    await answer(question, keys);
  const start = await browser.url();
  expect(start).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/start\/[\w-]{43}$/);
  const url = (await get(start)).headers.get('location') ?? '';
  expect(new URL(url).searchParams.get('scope')).toBe('read');
  await fetch(service.redirectOf(url));
  await answer(/Default workspace/, 'southwind');
  const { exit, screen, restored } = await terminal.ended;
  expect([exit, restored], screen).toEqual([0, true]);
  expect(screen).not.toContain(service.client.secret);
  expect(screen).not.toContain('Elsewhere');
  expect(screen).toContain('ttctl timesheets list');
  const settings = JSON.parse(readFileSync(join(home.folder, 'fresh/settings.json'), 'utf8'));
  const addresses = { base_url: service.baseUrl, auth_url: service.origin, token_url: service.origin };
  const work = { ...addresses, client_id: 'app-1', redirect_uri: redirect, scope: 'read', workspace: 8 };
  expect(settings).toEqual({ version: 1, current_profile: 'work', profiles: { work } });
});

const fresh = () => ({ TTCTL_CLIENT_SECRET: '', TTCTL_CONFIG_DIR: join(home.folder, 'fresh') });
const ask = async (keys: readonly (readonly [RegExp, string])[]) => {
  const terminal = openTerminal(['auth', 'login', '--profile', 'work'], {
    env: { ...home.env, ...browser.env, ...fresh() },
  });
  for (const [question, text] of keys) {
    await terminal.until(question);
    terminal.type(`${text}\r`);
  }
  return terminal.ended;
};

it('O17: without a flag it asks for the kind of sign-in first, then for what that needs', async () => {
  const token = service.issue().access;
  const { exit, screen } = await ask([
    [/Sign in with:[\s\S]*Personal Access Token[\s\S]*browser/, ''],
    [/Base URL of the API.*:/, service.baseUrl],
    [/Personal Access Token:/, token],
  ]);
  expect(exit, screen).toBe(0);
  expect(screen).not.toMatch(/Client id|canary/);
  expect(screen).toContain('ana@example.com');
  // The address is known by now.
  const again = await ask([
    [/Sign in with:/, '\x1b[B'],
    [/Authorization URL.*:/, '\x03'],
  ]);
  expect(again.exit).toBe(130);
});

it('a person who names no profile is asked before the one in use goes to another service', async () => {
  const folder = join(home.folder, 'fresh');
  const old = {
    version: 1,
    current_profile: 'work',
    profiles: { work: { base_url: 'https://old.example' } },
  };
  const read = () => JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'));
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(old), { mode: 0o600 });
  for (const [answer, exit] of [
    ['', 9],
    ['y', 0],
  ] as const) {
    expect(read()).toEqual(old);
    const words = ['auth', 'login', '--token-stdin', '--base-url', service.baseUrl];
    const terminal = openTerminal(words, { env: { ...home.env, ...fresh() } });
    await terminal.until(/https:\/\/old\.example → http[\s\S]*Replace the sign-in of profile work\?/);
    terminal.type(`${answer}\r`);
    if (exit === 0) await terminal.until(/Personal Access Token:/);
    if (exit === 0) terminal.type(`${service.issue().access}\r`);
    const ended = await terminal.ended;
    expect(ended.exit, ended.screen).toBe(exit);
  }
  expect(read().profiles.work.base_url).toBe(service.baseUrl);
});

it.each([
  ['cannot be opened', '/nonexistent/browser'],
  ['starts and fails', '/bin/false'],
])('R18: a browser that %s is no end: the address can be pasted', async (_name, program) => {
  const terminal = login(['--scope', 'read'], { BROWSER: program });
  await terminal.until(/Final address:/);
  const url = /http\S+\/oauth\/authorize\S+/.exec(terminal.screen())?.[0] ?? '';
  terminal.type('something else\r');
  await terminal.until(/Not accepted:[\s\S]*Final address:/);
  terminal.type(`${service.redirectOf(url)}\r`);
  const { exit, screen, restored } = await terminal.ended;
  expect([exit, restored], screen).toEqual([0, true]);
});

it('the browser is started with an address that works once: a second use of it ends the sign-in', async () => {
  const terminal = login(['--scope', 'read']);
  const start = await browser.url();
  const first = await get(start);
  expect([first.status, first.headers.get('cache-control')]).toEqual([303, 'no-store']);
  const second = await get(start);
  expect([second.status, second.headers.get('location')]).toEqual([410, null]);
  const { exit, screen } = await promptly(terminal.ended);
  expect(exit, screen).toBe(3);
  expect(screen).toContain('its address was opened twice');
  expect(service.calls).toEqual([]);
});

it('the browser may answer while the paste is waited for; the terminal is restored', async () => {
  const terminal = login(['--scope', 'read', '--no-browser']);
  await terminal.until(/Final address:/);
  expect(browser.wasStarted()).toBe(false);
  const url = /http\S+\/oauth\/authorize\S+/.exec(terminal.screen())?.[0] ?? '';
  await fetch(service.redirectOf(url));
  const { exit, screen, restored } = await terminal.ended;
  expect([exit, restored], screen).toEqual([0, true]);
});

it.each([
  ['with the browser open', [], /Press Ctrl-C to cancel\./],
  ['while an address is waited for', ['--no-browser'], /Final address:/],
])('Ctrl-C %s ends it within two seconds', async (_name, more, shown) => {
  const terminal = login(['--scope', 'read', ...more]);
  await terminal.until(shown);
  terminal.type('\x03');
  const { exit, restored } = await promptly(terminal.ended);
  expect([exit, restored]).toEqual([130, true]);
  expect(service.calls).toEqual([]);
});
