import type { RawRequest } from '../../api/client.ts';
import { captureOutputFailure, warnUnprinted } from '../../changes/report-one.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { buildBody, parseMethod, parsePath, printAllPages, withWorkspace } from './request.ts';

/** Sends the call that the command line gives, and prints what the service answers. */
export const sendApiCall = async (
  context: Context,
  [method = '', path = '']: readonly string[],
  options: { readonly workspace?: boolean | undefined; readonly paginate?: boolean | undefined },
): Promise<void> => {
  const { path: where, query } = parsePath(path);
  const raws = await context.raws();
  const body = buildBody(raws);
  if (parseMethod(method) === 'GET' && Object.keys(raws.fields).length > 0) {
    context.output.warn(
      '--field is sent in the body, which most services ignore for GET; use --param for the query',
    );
  }
  const bare: RawRequest = {
    method: parseMethod(method),
    path: where,
    query: [...query, ...raws.query],
    ...(body === undefined ? {} : { body }),
  };
  const raw = options.workspace === false ? bare : await withWorkspace(context, bare);
  if (options.paginate === true) {
    if (raw.method !== 'GET') throw new UsageError('--paginate works only with GET');
    return printAllPages(context, raw);
  }
  const reply = await context.raw(raw);
  if (reply.planned !== undefined) {
    return context.output.result({
      target: where,
      status: 'planned',
      operation: 'api',
      request: reply.planned,
    });
  }
  const lost = await captureOutputFailure(context.output.document(reply.envelope));
  if (lost !== undefined && raw.method === 'GET') throw lost;
  warnUnprinted(context, lost, { text: `${raw.method} ${where} done` });
};
