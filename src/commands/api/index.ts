import { Argument, type Command, Option } from 'commander';
import type { RawRequest } from '../../api/client.ts';
import { allOperations } from '../../api/operations.ts';
import { tellUnprinted, unprinted } from '../../bulk/unprinted.ts';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { SERVICE_EXITS, withFacts } from '../command.ts';
import { offering, repeated } from '../options.ts';
import { unsafe } from '../unsafe.ts';
import { bodyOf, METHODS, methodOf, paginated, pathOf, withWorkspace } from './request.ts';

/** Those that name no record. */
const paths = () =>
  [...new Set(allOperations().map(({ path }) => path))].filter((path) => !path.includes('{'));

/** `ttctl api <METHOD> <path>`: any call, documented or not. Sends what it is told and never asks. */
export const api = (command: Command, door: Door): Command =>
  withFacts(command, {
    examples: [
      'ttctl api GET /members --param status=active',
      'ttctl api GET /reports/tracked-hours --param start_date=2026-11-01 --param end_date=2026-11-30',
      'ttctl api GET "/members?status=active" --paginate',
      'ttctl api PUT /members/17 --field weekly_hours_limit:=32',
    ],
    more: [
      {
        title: 'Never asks',
        text: 'Sends what it is told and never asks, a DELETE too, unless the profile is protected. See what would be sent with --dry-run.',
      },
    ],
    writes: true,
    prints: {
      shape: 'document',
      about: "the service's whole answer, envelope and all; with --paginate an array of the records",
    },
    exits: [...SERVICE_EXITS, 9],
    asks: false,
  })
    .addArgument(offering(new Argument('<method>', 'GET, POST, PUT, PATCH or DELETE'), METHODS))
    .addArgument(
      offering(
        new Argument('<path>', 'path under the base URL: /members, or members (for Git Bash)'),
        paths(),
      ),
    )
    .addOption(new Option('--param <name=value>', 'add a query parameter').argParser(repeated))
    .addOption(
      new Option('--field <name=value>', 'add a body field; name:=json for other than text').argParser(
        repeated,
      ),
    )
    .option('--input <file>', 'a whole JSON body from a file, or - for stdin')
    .addOption(unsafe(new Option('--no-workspace', 'do not add workspace_id')))
    .option('--paginate', 'fetch all pages: one array of what is in their data, without the envelope')
    .action(
      run(door, async (context, [method = '', path = ''], options) => {
        const { path: where, query } = pathOf(path);
        const raws = await context.raws();
        const body = bodyOf(raws);
        if (methodOf(method) === 'GET' && Object.keys(raws.fields).length > 0) {
          context.output.warn(
            '--field is sent in the body, which few services read of a GET; for the query: --param',
          );
        }
        const bare: RawRequest = {
          method: methodOf(method),
          path: where,
          query: [...query, ...raws.query],
          ...(body === undefined ? {} : { body }),
        };
        const raw = options.workspace === false ? bare : await withWorkspace(context, bare);
        if (options.paginate === true) {
          if (raw.method !== 'GET') throw new UsageError('--paginate is for GET');
          return paginated(context, raw);
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
        const lost = await unprinted(context.output.document(reply.envelope));
        if (lost !== undefined && raw.method === 'GET') throw lost;
        tellUnprinted(context, lost, { text: `${raw.method} ${where} done` });
      }),
    );
