// Tests a policy before it is saved: `policy lint` checks the file locally by the rules of the service;
// `policy try` asks the service what the policy would change.

import type { Schemas } from '../api-types.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { formatState, formatTable } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { list, text } from '../program/flags.ts'
import { readArgumentFile } from './argument-file.ts'
import { change } from './read.ts'
import { describeReasons } from './reasons.ts'

type Tried = Schemas['PolicyTried']

export const tryPolicyCommands = [
  defineCommand({
    words: ['policy', 'lint'],
    summary: 'check a policy file by the rules of the service, without a service',
    details: 'Controls that the file names are checked only when it is saved: the service knows them.',
    args: [argument('file', 'the YAML file')],
    flags: {},
    needs: 'nothing',
    operations: [],
    examples: ['policy lint policy.yml'],
    run: async ({ args: { file = '' }, context }) => {
      // Loaded only here: no other command needs the rules.
      const { parsePolicy } = await import('../../../server/src/domain/policy/parse.ts')
      const parsed = parsePolicy(readArgumentFile(file, context.system.cwd))
      return showProblems(context, file, parsed.ok ? {} : parsed.errors)
    },
  }),
  defineCommand({
    words: ['template', 'lint'],
    summary: 'check a flow template by the rules of the service, without a service',
    args: [argument('file', 'the YAML file')],
    flags: {},
    needs: 'nothing',
    operations: [],
    examples: ['template lint waybill-template.yml'],
    run: async ({ args: { file = '' }, context }) => {
      const { parseTemplate } = await import('../../../server/src/domain/template/parse.ts')
      const parsed = parseTemplate(readArgumentFile(file, context.system.cwd))
      return showProblems(context, file, parsed.ok ? {} : parsed.errors)
    },
  }),
  defineCommand({
    words: ['policy', 'try'],
    summary: 'show what a policy would change, without saving it',
    details:
      'Evaluates the snapshots with the policy beside the policies that are attached. Without --snapshot and ' +
      '--environment: the latest snapshot of every environment, or of those that have the policy of --name.',
    args: [argument('file', 'the YAML file')],
    flags: {
      name: text('the policy that the file would replace', { placeholder: '<policy>' }),
      snapshot: list('try it on these snapshots, such as production or production~1', {
        placeholder: '<snapshots>',
      }),
      environment: list('try it on the latest snapshot of these environments', {
        short: 'e',
        placeholder: '<names>',
      }),
    },
    needs: 'org',
    operations: ['tryNewPolicy', 'tryPolicy'],
    examples: ['policy try policy.yml --snapshot production,production~1'],
    run: ({ args: { file = '' }, flags: { name, snapshot, environment }, context }) =>
      change(context, {
        method: 'POST',
        template: name === undefined ? '/policies/{org}/try' : '/policies/{org}/{name}/try',
        params: name === undefined ? {} : { name },
        json: dropMissing({
          policy_yaml: readArgumentFile(file, context.system.cwd),
          snapshots: snapshot.length === 0 ? undefined : snapshot,
          environments: environment.length === 0 ? undefined : environment,
        }),
        text: json => describeTried(json as Tried),
      }),
  }),
]

async function showProblems(context: Context, file: string, problems: Readonly<Record<string, string>>) {
  const lines = Object.entries(problems).map(([field, problem]) => `${field}: ${problem}`)
  const isValid = lines.length === 0
  await context.output.show({
    json: { valid: isValid, errors: problems },
    text: isValid ? `${file} is valid` : [`${file} is not valid`, ...lines].join('\n'),
    names: isValid ? [file] : [],
  })
  return isValid ? 'done' : ('usage' as const)
}

function describeTried({ targets, summary, warnings }: Tried): string {
  const head = ['SNAPSHOT', 'NOW', 'WITH IT', 'ARTIFACTS', 'THAT CHANGE']
  const rows = targets.map(target => [
    `${target.environment_name}#${target.snapshot_index}`,
    formatState(target.compliant_before),
    formatState(target.compliant_after),
    target.artifacts,
    target.flips_total,
  ])
  const worse = targets.flatMap(({ flips }) =>
    flips.flatMap(({ compliant_after, reasons_after }) => (compliant_after === false ? reasons_after : [])),
  )
  return [
    targets.length === 0 ? 'There is no snapshot to try it on.' : formatTable([head, ...rows]),
    `Environments that would become non-compliant: ${summary.environments_that_would_turn_red}, compliant: ${summary.environments_that_would_turn_green}`,
    ...warnings.map(({ field, message }) => `Warning: ${field}: ${message}`),
    ...(worse.length === 0 ? [] : ['', describeReasons(worse)]),
  ].join('\n')
}
