import { find } from '../../state.ts';
import type { Token } from '../../world.ts';
import { html, type Markup } from '../html.ts';
import { badge, code, moment, text } from './pieces.ts';
import { table } from './table.ts';
import { live, type Scene, type View } from './view.ts';

/** Tokens, never the token itself; what each has used of its limits; applications. */

const stateOf = (token: Token, now: number): string =>
  token.revoked ? 'revoked' : now < token.expires_ms ? 'valid' : 'expired';

/** How many moments are younger than the window. */
const used = (moments: readonly number[] | undefined, now: number, seconds: number): number =>
  (moments ?? []).filter((at) => at > now - seconds * 1000 && at <= now).length;

const meter = (count: number, most: number, label: string): Markup =>
  html`<span class="nowrap"><meter min="0" max="${most}" high="${Math.floor(most * 0.8)}" value="${count}" aria-label="${label}"></meter> ${count} of ${most}</span>`;

const limitCells = ({ world, now, limits }: Scene, token: Token): Markup[] => {
  if (limits === 'off') return [text('no limit'), text('no limit')];
  const window = find(world.windows, token.id);
  const { requests, perSeconds, writes, writesPerSeconds } = limits;
  return [
    meter(used(window?.requests, now, perSeconds), requests, 'requests'),
    meter(used(window?.writes, now, writesPerSeconds), writes, 'writes'),
  ];
};

const tokens = (scene: Scene): Markup => {
  const rows = Object.values(scene.world.tokens)
    .reverse()
    .map((token) => [
      text(token.id),
      text(find(scene.world.users, token.user_id)?.email),
      text(token.kind === 'personal' ? 'personal' : 'OAuth2'),
      badge(stateOf(token, scene.now)),
      text(token.scopes.join(', ')),
      ...limitCells(scene, token),
      moment(token.expires_ms),
      text(token.name),
    ]);
  const window = scene.limits === 'off' ? '' : ` in ${scene.limits.perSeconds} s`;
  const short = scene.limits === 'off' ? '' : ` in ${scene.limits.writesPerSeconds} s`;
  return table(
    'Tokens',
    [
      { title: 'Id' },
      { title: 'Member' },
      { title: 'Kind', drop: 2 },
      { title: 'Status' },
      { title: 'Scopes', drop: 1 },
      { title: `Requests${window}` },
      { title: `Writes${short}`, drop: 1 },
      { title: 'Ends', drop: 2 },
      { title: 'Name', drop: 3 },
    ],
    rows,
    'None. Create one: ttctl sandbox token create',
  );
};

const apps = async ({ control }: Scene): Promise<Markup> =>
  table(
    'Applications',
    [
      { title: 'Application' },
      { title: 'Client id' },
      { title: 'Grant', drop: 1 },
      { title: 'Redirect address', drop: 2 },
    ],
    (await control.apps()).map((app) => [
      text(app.name),
      code(app.client_id),
      text(app.grant),
      text(app.redirect_uri),
    ]),
    'None.',
  );

export const tokensView = async (scene: Scene): Promise<View> => ({
  title: 'Tokens and limits',
  body: html`<h1>Tokens and limits</h1>
${live('tokens', tokens(scene))}
<h2>OAuth2 applications</h2>
${await apps(scene)}`,
});
