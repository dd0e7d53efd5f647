import type { TokenScope } from '../world.ts';
import { OAuthRefused } from './refusal.ts';

/** The scopes, in words for the authorize page. */
export const SCOPE_WORDS: Readonly<Record<TokenScope, readonly [title: string, detail: string]>> = {
  read: ['See your workspaces', 'Members, projects, tasks, timesheets, leave, expenses and webhooks'],
  write: ['Make changes', 'See, create, change and archive all of it; approve and reject'],
  admin: [
    'Let the AI assistant approve',
    'Timesheets, leave requests and time requests; otherwise the same as making changes',
  ],
};

const SCOPES: readonly TokenScope[] = ['read', 'write', 'admin'];

const isScope = (word: string): word is TokenScope => SCOPES.some((scope) => scope === word);

/**
 * The scopes that a request names, each once; `read` where it names none (docs/service.md, OAuth2).
 * @throws OAuthRefused (invalid_scope)
 */
export const parseScopeParameter = (text: string | undefined): TokenScope[] => {
  const words = (text ?? '').split(' ').filter((word) => word !== '');
  const unknownScope = words.find((word) => !isScope(word));
  if (unknownScope !== undefined) {
    throw new OAuthRefused(
      'invalid_scope',
      'The requested scope is invalid, unknown, or malformed.',
      `Check the \`${unknownScope.replace(/[^\x21\x23-\x5b\x5d-\x7e]/g, '?')}\` scope`,
    );
  }
  return words.length === 0 ? ['read'] : SCOPES.filter((scope) => words.includes(scope));
};
