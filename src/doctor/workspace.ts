import type { Row } from '../api/page.ts';
import { createCommandLine } from '../config/command-line.ts';
import { describeSource } from '../config/values.ts';
import type { HttpResponse } from '../http/transport.ts';
import { isRecord } from '../json/number.ts';
import { parseJsonValue } from '../json/parse.ts';
import { toText } from '../json/stringify.ts';
import type { Parts, RunServices } from '../runtime/run-services.ts';
import { type Finding, ok, warning } from './finding.ts';

const listWorkspaces = ({ body }: HttpResponse): readonly Row[] => {
  const answer = parseJsonValue(body);
  const rows = isRecord(answer) ? answer.data : undefined;
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
};

/**
 * Whether the workspace that is set is among those of the credential.
 * @param answer the list of them
 * @throws Failure for a name that none has, and for one that the sandbox lacks
 */
export const checkWorkspace = async (
  { parts, service }: { readonly parts: Parts; readonly service: RunServices },
  answer: HttpResponse,
): Promise<Finding> => {
  const id = await service.knownWorkspaceId();
  if (id === undefined) return ok('workspace', 'not set: commands need --workspace');
  const { workspace } = parts.settings;
  const source =
    workspace === undefined
      ? ''
      : workspace.from === 'profile'
        ? `, set in profile ${parts.settings.profile.value}`
        : `, from ${describeSource(workspace)}`;
  const row = listWorkspaces(answer).find((one) => toText(one.id) === toText(id));
  if (row !== undefined) return ok('workspace', `${toText(id)} ${toText(row.workspace_name ?? '')}${source}`);
  return warning(
    'workspace',
    `${toText(id)}${source}; the service does not list it for this credential`,
    `Choose another with --workspace. List them with: ${createCommandLine(parts.settings)`ttctl workspaces list`}`,
  );
};
