import type { RawRequest } from '../../api/client.ts';
import { sendRawWrite } from '../../changes/raw-write.ts';
import { captureOutputFailure, warnUnprinted } from '../../changes/report-one.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { buildBody, parseMethod, parsePath, printAllPages, withWorkspace } from './request.ts';

/** Sends the call that the command line gives, and prints what the service answers. */
export const sendApiCall = async (
  context: Context,
  [method = '', pathArgument = '']: readonly string[],
  options: { readonly workspace?: boolean | undefined; readonly paginate?: boolean | undefined },
): Promise<void> => {
  const { path, query } = parsePath(pathArgument);
  const rawParameters = await context.raws();
  const body = buildBody(rawParameters);
  if (parseMethod(method) === 'GET' && Object.keys(rawParameters.fields).length > 0) {
    context.output.warn(
      '--field is sent in the body, which most services ignore for GET; use --param for the query',
    );
  }
  const baseRequest: RawRequest = {
    method: parseMethod(method),
    path,
    query: [...query, ...rawParameters.query],
    ...(body === undefined ? {} : { body }),
  };
  const request = options.workspace === false ? baseRequest : await withWorkspace(context, baseRequest);
  if (options.paginate === true) {
    if (request.method !== 'GET') throw new UsageError('--paginate works only with GET');
    return printAllPages(context, request);
  }
  const response =
    request.method === 'GET' ? await context.raw(request) : await sendRawWrite(context, request);
  if (response.planned !== undefined) {
    return context.output.result({
      target: path,
      status: 'planned',
      operation: 'api',
      request: response.planned,
    });
  }
  const outputFailure = await captureOutputFailure(context.output.document(response.envelope));
  if (outputFailure !== undefined && request.method === 'GET') throw outputFailure;
  warnUnprinted(context, outputFailure, { text: `${request.method} ${path} done` });
};
