import { findRecord } from '../../state.ts';
import { getTokenStatus } from '../../token-rows.ts';
import type { Token } from '../../world.ts';
import { html, type Markup } from '../html.ts';
import { renderBadge, renderCode, renderText, renderTime } from './markup.ts';
import { renderTable } from './table.ts';
import { renderLive, type View, type ViewModel } from './view.ts';

/** Tokens, never the token itself; what each has used of its limits; applications. */

/** How many moments are younger than the window. */
const countRecent = (times: readonly number[] | undefined, now: number, seconds: number): number =>
  (times ?? []).filter((time) => time > now - seconds * 1000 && time <= now).length;

const renderMeter = (count: number, max: number, label: string): Markup =>
  html`<span class="nowrap"><meter min="0" max="${max}" high="${Math.floor(max * 0.8)}" value="${count}" aria-label="${label}"></meter> ${count} of ${max}</span>`;

const renderLimitCells = ({ world, now, limits }: ViewModel, token: Token): Markup[] => {
  if (limits === 'off') return [renderText('no limit'), renderText('no limit')];
  const window = findRecord(world.windows, token.id);
  const { requests, perSeconds, writes, writesPerSeconds } = limits;
  return [
    renderMeter(countRecent(window?.requests, now, perSeconds), requests, 'requests'),
    renderMeter(countRecent(window?.writes, now, writesPerSeconds), writes, 'writes'),
  ];
};

const renderTokenTable = (model: ViewModel): Markup => {
  const rows = Object.values(model.world.tokens)
    .reverse()
    .map((token) => [
      renderText(token.id),
      renderText(findRecord(model.world.users, token.user_id)?.email),
      renderText(token.kind === 'personal' ? 'personal' : 'OAuth2'),
      renderBadge(getTokenStatus(token, model.now)),
      renderText(token.scopes.join(', ')),
      ...renderLimitCells(model, token),
      renderTime(token.expires_ms),
      renderText(token.name),
    ]);
  const requestWindow = model.limits === 'off' ? '' : ` in ${model.limits.perSeconds} s`;
  const writeWindow = model.limits === 'off' ? '' : ` in ${model.limits.writesPerSeconds} s`;
  return renderTable(
    'Tokens',
    [
      { title: 'Id' },
      { title: 'Member' },
      { title: 'Kind', drop: 2 },
      { title: 'Status' },
      { title: 'Scopes', drop: 1 },
      { title: `Requests${requestWindow}` },
      { title: `Writes${writeWindow}`, drop: 1 },
      { title: 'Ends', drop: 2 },
      { title: 'Name', drop: 3 },
    ],
    rows,
    'None. Create one: ttctl sandbox token create',
  );
};

const renderAppTable = async ({ control }: ViewModel): Promise<Markup> =>
  renderTable(
    'Applications',
    [
      { title: 'Application' },
      { title: 'Client id' },
      { title: 'Grant', drop: 1 },
      { title: 'Redirect address', drop: 2 },
    ],
    (await control.apps()).map((app) => [
      renderText(app.name),
      renderCode(app.client_id),
      renderText(app.grant),
      renderText(app.redirect_uri),
    ]),
    'None.',
  );

export const renderTokens = async (model: ViewModel): Promise<View> => ({
  title: 'Tokens and limits',
  body: html`<h1>Tokens and limits</h1>
${renderLive('tokens', renderTokenTable(model))}
<h2>OAuth2 applications</h2>
${await renderAppTable(model)}`,
});
