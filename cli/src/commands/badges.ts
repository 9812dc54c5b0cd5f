// Badges: pictures of one state for a README or another external page.
import type { Schemas } from '../api-types.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { formatTime } from '../print/table.ts'
import { defineCommand, repeatedArgument } from '../program/command.ts'
import { text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { confirmDeletion } from './confirm.ts'
import { readAndList } from './list.ts'
import { change } from './read.ts'

type Badge = Schemas['Badge']

const ALL = '/badge-tokens/{org}'

export const badgeCommands = [
  defineCommand({
    words: ['create', 'badge'],
    summary: 'create a badge, and print the line of Markdown that shows it',
    details:
      'Anyone who has the address of the picture can load it, until the badge is deleted. The address is shown only once. The badge is green only if the state is known to be compliant; anything doubtful is grey.',
    args: [],
    flags: {
      environment: text('show the state of this environment', { short: 'e', placeholder: '<name>' }),
      flow: text('show the state of the newest trail of this flow', { short: 'f', placeholder: '<name>' }),
      fingerprint: text('with --environment: show whether this artifact is allowed there', {
        short: 'F',
        placeholder: '<sha256>',
      }),
      label: text('what it says beside the state, instead of the name', { placeholder: '<text>' }),
    },
    needs: 'org',
    operations: ['createBadge'],
    examples: [
      'create badge --environment production',
      'create badge --flow backend-ci --label build',
      'create badge --environment production --fingerprint b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    ],
    run: ({ flags: { environment, flow, fingerprint, label }, context }) => {
      if ((environment === undefined) === (flow === undefined))
        failUsage('A badge is about an environment or a flow', 'Give either --environment or --flow.')
      if (fingerprint !== undefined && environment === undefined)
        failUsage('--fingerprint needs an environment', 'Give --environment too.')
      return change(context, {
        method: 'POST',
        template: ALL,
        json: dropMissing({ environment_name: environment, flow_name: flow, fingerprint, label }),
        text: json => (json as Schemas['CreatedBadge']).markdown,
        names: json => [(json as Schemas['CreatedBadge']).markdown],
      })
    },
  }),
  defineCommand({
    words: ['list', 'badges'],
    also: [['list', 'badge']],
    summary: 'list the badges of an organization, without their addresses',
    args: [],
    flags: {},
    needs: 'org',
    operations: ['listBadges'],
    examples: ['list badges'],
    run: ({ context }) =>
      readAndList<Badge>(
        context,
        { template: ALL },
        {
          head: ['ID', 'SHOWS', 'LABEL', 'TOKEN', 'CREATED BY', 'CREATED'],
          toRow: found => [
            found.id,
            describe(found),
            found.label ?? '',
            `${found.hint}…`,
            found.created_by,
            formatTime(found.created_at),
          ],
          toName: ({ id }) => id,
          nothing: 'No badges',
        },
      ),
  }),
  defineCommand({
    words: ['delete', 'badge'],
    also: [['revoke', 'badge']],
    summary: 'delete badges; their pictures are gone within a minute',
    args: [repeatedArgument('id', 'their ids, as list badges shows them')],
    flags: {},
    needs: 'org',
    operations: ['revokeBadge'],
    examples: ['delete badge 0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d --assume-yes'],
    run: async ({ repeated: ids, context }) => {
      if (!(await confirmDeletion(context, `badge ${ids.join(', ')}`))) return undefined
      for (const id of ids)
        await change(context, {
          method: 'DELETE',
          template: `${ALL}/{badge_id}`,
          params: { badge_id: id },
          text: () => `Badge ${id} was deleted`,
          names: () => [id],
        })
      return undefined
    },
  }),
]

function describe({ shows, environment_name, flow_name, fingerprint }: Badge): string {
  if (shows === 'flow') return `flow ${flow_name}`
  if (shows === 'environment') return `environment ${environment_name}`
  return `artifact ${fingerprint?.slice(0, 12)} in ${environment_name}`
}
