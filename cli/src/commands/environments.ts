// Environments: the places where artifacts run.

import type { Schemas } from '../api-types.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { formatFields, formatPairs, formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { list, number, requiredText, text, toggle } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { defineArchiving } from './archiving.ts'
import { PAGE_FLAGS } from './flags.ts'
import { readAndList } from './list.ts'
import { change, readAndShow } from './read.ts'
import { defineRenaming } from './renaming.ts'
import { describeState } from './unknown-verdict.ts'

type Environment = Schemas['Environment']

const ENVIRONMENT_TYPES = [
  'K8S',
  'ECS',
  'S3',
  'lambda',
  'server',
  'docker',
  'azure-apps',
  'cloud-run',
  'logical',
] as const

const ONE = '/environments/{org}/{env_name}'
const NOUN = { noun: 'environment', also: ['env'], title: 'an environment', template: ONE, param: 'env_name' }

export const environmentCommands = [
  defineCommand({
    words: ['create', 'environment'],
    also: [['create', 'env']],
    summary: 'create an environment, or change one',
    args: [argument('name', 'the name of the environment')],
    flags: {
      type: requiredText('what runs there', { short: 't', choices: ENVIRONMENT_TYPES }),
      description: text('what it is for', { short: 'd', placeholder: '<text>' }),
      'included-environments': list('the members of a logical environment', { placeholder: '<names>' }),
      'include-scaling': toggle('a changed number of instances is a change too'),
      'exclude-scaling': toggle('a changed number of instances is no change; the default'),
      'require-provenance': toggle('only artifacts of a flow are compliant; better: attach a policy'),
      'expected-report-interval': number('seconds between two reports; three without one make it stale', {
        min: 10,
        max: 31_622_400,
        placeholder: '<seconds>',
      }),
    },
    needs: 'org',
    operations: ['putEnvironment'],
    examples: [
      'create environment production --type K8S --expected-report-interval 300',
      'create environment everywhere --type logical --included-environments production,staging',
    ],
    run: ({ args: { name = '' }, flags, context }) => {
      if (flags['include-scaling'] && flags['exclude-scaling'])
        failUsage('--include-scaling and --exclude-scaling exclude each other')
      const included = flags['included-environments']
      return change(context, {
        method: 'PUT',
        template: '/environments/{org}',
        json: dropMissing({
          name,
          type: flags.type,
          description: flags.description,
          include_scaling: flags['include-scaling'] || (flags['exclude-scaling'] ? false : undefined),
          require_provenance: flags['require-provenance'] || undefined,
          expected_report_interval: flags['expected-report-interval'],
          included_environments: included.length === 0 ? undefined : included,
        }),
        text: (_, status) => `Environment ${name} was ${status === 201 ? 'created' : 'updated'}`,
        names: () => [name],
      })
    },
  }),
  defineCommand({
    words: ['get', 'environment'],
    also: [['get', 'env']],
    summary: 'show an environment and whether it is compliant',
    args: [argument('name', 'the name of the environment')],
    flags: {},
    needs: 'org',
    operations: ['getEnvironment'],
    examples: ['get environment production'],
    run: ({ args: { name = '' }, context }) =>
      readAndShow<Environment>(context, { template: ONE, params: { env_name: name } }, found => ({
        names: [found.name],
        text: formatFields([
          ['Name', found.name],
          ['Type', found.type],
          ['Description', found.description],
          ['State', describeState(found)],
          ['Policies', found.policies.join(', ')],
          ...(found.type === 'logical'
            ? ([['Members', (found.included_environments ?? []).join(', ')]] as const)
            : []),
          ['Snapshots', found.latest_snapshot_index],
          ['Last report', formatTime(found.last_reported_at)],
          ['Last change', formatTime(found.last_changed_at)],
          ['Report interval', found.expected_report_interval],
          ['Tags', formatPairs(found.tags)],
          ['Page', found.html_url],
        ]),
      })),
  }),
  defineCommand({
    words: ['list', 'environments'],
    also: [
      ['list', 'environment'],
      ['list', 'env'],
      ['list', 'envs'],
    ],
    summary: 'list the environments of an organization',
    args: [],
    flags: {
      ...PAGE_FLAGS,
      name: text('only names with this text', { placeholder: '<text>' }),
      type: list('only these types', { placeholder: '<types>' }),
      tag: list('only with one of these tags', { placeholder: '<key or key:value>' }),
      state: text('only in this state', { choices: ['compliant', 'non-compliant', 'unknown', 'stale'] }),
      sort: text('the order', { choices: ['name', 'last_modified_at', 'last_changed_at', 'urgency'] }),
      'sort-direction': text('upwards or downwards', { choices: ['asc', 'desc'] }),
      'space-id': list('accepted for compatibility: there are no spaces', { is_hidden: true }),
    },
    needs: 'org',
    operations: ['listEnvironments'],
    examples: ['list environments --state non-compliant', 'list environments --tag team:payments'],
    run: ({ flags, context }) =>
      readAndList<Environment>(
        context,
        {
          template: '/environments/{org}',
          query: {
            page: flags.page,
            per_page: flags['page-limit'],
            name: flags.name,
            type: flags.type,
            tag: flags.tag,
            // By what is known now, like the states that are printed.
            compliance: flags.state,
            sort: flags.sort === 'urgency' ? 'compliance' : flags.sort,
            sort_direction: flags['sort-direction'],
            space_id: flags['space-id'],
          },
        },
        {
          key: 'environments',
          head: ['NAME', 'TYPE', 'STATE', 'LAST REPORT', 'LAST CHANGE', 'TAGS'],
          toRow: found => [
            found.name,
            found.type,
            describeState(found),
            formatTime(found.last_reported_at),
            formatTime(found.last_changed_at),
            formatPairs(found.tags),
          ],
          toName: ({ name }) => name,
          nothing: 'No environments',
        },
      ),
  }),
  defineCommand({
    words: ['join', 'environment'],
    also: [['join', 'env']],
    summary: 'make an environment a member of a logical one',
    args: [],
    flags: {
      logical: requiredText('the logical environment', { placeholder: '<name>' }),
      physical: requiredText('the environment that becomes a member', { placeholder: '<name>' }),
    },
    needs: 'org',
    operations: ['joinEnvironment'],
    examples: ['join environment --logical everywhere --physical production'],
    run: ({ flags: { logical, physical }, context }) =>
      change(context, {
        method: 'PUT',
        template: `${ONE}/join`,
        params: { env_name: logical },
        json: { physical_env_name: physical },
        text: () => `Environment ${physical} is a member of ${logical}`,
      }),
  }),
  defineRenaming({ ...NOUN, operation: 'renameEnvironment' }),
  ...defineArchiving({
    ...NOUN,
    method: 'PUT',
    operations: { archive: 'archiveEnvironment', unarchive: 'unarchiveEnvironment' },
    effect: 'it takes no new reports',
  }),
]
