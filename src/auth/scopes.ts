import { type HttpRequest, isWrite, type Transport } from '../http/transport.ts';
import { parseJson } from '../json/parse.ts';
import { EXIT, Failure } from '../outcome.ts';
import type { Session } from './session.ts';
import { formatWriteScopeHint } from './sign-in-commands.ts';

/** What a token may do (docs/service.md, Scopes): a write that is sure to be refused is not sent. */

const WRITING = ['write', 'admin'];

const mayWrite = (scopes: readonly string[]): boolean => scopes.some((scope) => WRITING.includes(scope));

/** @param request `PUT /timesheets/17/approve`; absent where none is planned yet */
export const checkWriteScope = async (
  session: Pick<Session, 'scopes' | 'identity'>,
  request?: string,
): Promise<void> => {
  const scopes = await session.scopes();
  if (scopes === undefined || mayWrite(scopes)) return;
  const identity = await session.identity();
  throw new Failure('this command needs the write or admin scope', {
    code: 'insufficient_scope',
    exit: EXIT.forbidden,
    reason: `The token of profile ${identity.profile} has: ${scopes.join(', ') || 'none'}. Nothing was sent.`,
    hint: formatWriteScopeHint(identity),
    details: {
      ...(request === undefined ? {} : { request }),
      required_scope: WRITING,
      granted_scope: scopes,
    },
  });
};

/** The `meta.granted_scope` of a refusal, where it is a list of words. */
const grantedIn = (body: string): readonly string[] | undefined => {
  const parsed = parseJson(body);
  if (!('value' in parsed)) return undefined;
  const granted: unknown = (parsed.value as { meta?: { granted_scope?: unknown } } | null)?.meta
    ?.granted_scope;
  if (!Array.isArray(granted) || granted.length > 20) return undefined;
  return granted.every((scope) => typeof scope === 'string' && /^[\w:.-]{1,64}$/.test(scope))
    ? granted
    : undefined;
};

const routeOf = ({ method, path }: HttpRequest): string => `${method} ${path}`;

/** Stops a write that a stored token may not do, and learns from a 403 what a token may do. */
export const withScopeCheck =
  (next: Transport, session: Pick<Session, 'scopes' | 'identity' | 'learn'>): Transport =>
  async (request) => {
    if (isWrite(request.method)) await checkWriteScope(session, routeOf(request));
    const answer = await next(request);
    const granted = answer.status === 403 ? grantedIn(answer.body) : undefined;
    if (granted !== undefined) await session.learn(granted);
    return answer;
  };
