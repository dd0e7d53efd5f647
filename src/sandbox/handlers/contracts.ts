import { answerCreated, answerData, answerDone, type HandlerAnswer } from '../answer.ts';
import { formatCallTime, getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toContractData } from '../events.ts';
import { matchesFilter, readUserFilter } from '../filters.ts';
import { answerPage } from '../paging.ts';
import { amountReader, choiceReader, integerReader } from '../read.ts';
import type { Contract } from '../records.ts';
import { invalid, notFound } from '../refusal.ts';
import { createNumber, findRecord, isLive, seesRates } from '../state.ts';

const SCREENSHOTS = {
  full: 'Full',
  blurred: 'Blurred',
  no_preview: 'No preview',
  no_screenshot: 'No screenshot',
  background_blurred: 'Background blurred',
  video_full: 'Video, full',
  video_blurred: 'Video, blurred',
  video_full_silent: 'Video, full, silent',
  video_blurred_silent: 'Video, blurred, silent',
} as const;
const SCREENSHOT_MODES = Object.keys(SCREENSHOTS);
const LABELS: Readonly<Record<string, string>> = SCREENSHOTS;
const STATUSES = ['active', 'paused'] as const;
const DEFAULT_HOURS = 168;

const getRate = (call: WorkspaceCall, contract: Contract): number | null => {
  if (contract.rate_type === 1) return contract.rate;
  if (contract.rate_type === 3) return findRecord(call.workspace.projects, contract.project_id)?.rate ?? null;
  return findRecord(call.workspace.members, contract.user_id)?.rate ?? null;
};

const toContractView = (call: WorkspaceCall, contract: Contract) => {
  const user = findRecord(call.world.users, contract.user_id);
  const project = findRecord(call.workspace.projects, contract.project_id);
  const rates =
    seesRates(call.me) && project?.is_billable === true
      ? { rate: getRate(call, contract), rate_type: contract.rate_type }
      : {};
  return {
    id: contract.id,
    project_id: contract.project_id,
    project_name: project?.name ?? null,
    project_icon: project?.icon ?? null,
    user_id: contract.user_id,
    user_firstname: user?.firstname ?? null,
    user_lastname: user?.lastname ?? null,
    user_email: user?.email ?? null,
    user_role: findRecord(call.workspace.members, contract.user_id)?.role ?? null,
    weekly_hours_limit: contract.weekly_hours_limit,
    screenshots: contract.screenshots,
    screenshots_label: LABELS[contract.screenshots] ?? contract.screenshots,
    ...rates,
    status: contract.status,
  };
};

const list = (call: WorkspaceCall): HandlerAnswer => {
  const project = call.input.filter('project_id', integerReader());
  const user = readUserFilter(call);
  const status = call.input.filter('status', choiceReader(STATUSES));
  const rows = Object.values(call.workspace.contracts).filter(
    (row) =>
      row.deleted_at === null &&
      matchesFilter(project, row.project_id) &&
      matchesFilter(user, row.user_id) &&
      matchesFilter(status, row.status),
  );
  return answerPage(call, rows, (row) => toContractView(call, row));
};

const readSettings = (call: WorkspaceCall) => ({
  weekly_hours_limit: call.input.maybe('weekly_hours_limit', integerReader(0)),
  screenshots: call.input.maybe('screenshots', choiceReader(SCREENSHOT_MODES)),
  rate: call.input.maybe('rate', amountReader),
});

/** Rates are saved only for those who may view them (docs/service.md, Rates). */
const setRate = (call: WorkspaceCall, contract: Contract, rate: number | undefined): void => {
  if (rate === undefined || !seesRates(call.me)) return;
  contract.rate = rate;
  contract.rate_type = 1;
};

const create = (call: WorkspaceCall): HandlerAnswer => {
  const project = call.input.need('project_id', integerReader());
  const user = call.input.need('user_id', integerReader());
  const settings = readSettings(call);
  if (!isLive(call.workspace.projects, project)) {
    throw invalid('project_id', 'The selected project_id is invalid.');
  }
  if (!isLive(call.workspace.members, user)) {
    throw invalid('user_id', 'The selected user_id is invalid.');
  }
  const existing = Object.values(call.workspace.contracts).find(
    (row) => row.project_id === project && row.user_id === user && row.deleted_at === null,
  );
  if (existing !== undefined) {
    throw invalid('user_id', 'This member already has a contract in this project.');
  }
  const contract: Contract = {
    id: createNumber(call.world),
    project_id: project,
    user_id: user,
    weekly_hours_limit: settings.weekly_hours_limit ?? DEFAULT_HOURS,
    screenshots: settings.screenshots ?? 'full',
    rate: null,
    rate_type: 2,
    status: 'active',
    deleted_at: null,
  };
  setRate(call, contract, settings.rate);
  call.workspace.contracts[contract.id] = contract;
  call.emit(call.workspace, toContractData(contract));
  return answerCreated(201, toContractView(call, contract), 'The contract has been created.');
};

/** @throws Refusal (404), also for one that is archived. */
const requireContract = (call: WorkspaceCall): Contract => {
  const id = getPathValue(call, 'contractId');
  const contract = findRecord(call.workspace.contracts, id);
  if (contract === undefined || contract.deleted_at !== null) throw notFound('contract', id);
  return contract;
};

const update = (call: WorkspaceCall): HandlerAnswer => {
  const contract = requireContract(call);
  const settings = readSettings(call);
  const status = call.input.maybe('status', choiceReader(STATUSES));
  contract.weekly_hours_limit = settings.weekly_hours_limit ?? contract.weekly_hours_limit;
  contract.screenshots = settings.screenshots ?? contract.screenshots;
  contract.status = status ?? contract.status;
  setRate(call, contract, settings.rate);
  call.emit(call.workspace, toContractData(contract));
  return answerDone('The contract has been updated.');
};

const archive = (call: WorkspaceCall): HandlerAnswer => {
  const contract = requireContract(call);
  contract.deleted_at = formatCallTime(call);
  call.emit(call.workspace, toContractData(contract));
  return answerDone('The contract has been archived.');
};

export const routes: readonly Route[] = [
  {
    route: 'GET /contracts',
    handle: list,
  },
  {
    route: 'POST /contracts',
    handle: create,
    events: ['contract.created'],
  },
  {
    route: 'GET /contracts/{contractId}',
    handle: (call) => answerData(toContractView(call, requireContract(call)), 'The contract.'),
  },
  {
    route: 'PUT /contracts/{contractId}',
    handle: update,
    events: ['contract.updated'],
  },
  {
    route: 'DELETE /contracts/{contractId}',
    handle: archive,
    events: ['contract.deleted'],
  },
];
