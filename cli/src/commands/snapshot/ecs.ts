// Reports the containers of ECS tasks.
import { argument, defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { list } from '../../program/flags.ts'
import { observeTasks } from '../../reporters/aws/ecs.ts'
import type { Observation } from '../../reporters/observation.ts'
import { AWS_FLAGS, type AwsValues, openAws } from './aws.ts'
import { CREATE_FLAGS, createMissing, reportEnvironment } from './report.ts'

export const ECS_FLAGS = {
  clusters: list('only these clusters', { placeholder: '<name>' }),
  'clusters-regex': list('only clusters whose name matches', { placeholder: '<pattern>' }),
  exclude: list('all clusters but these', { short: 'x', placeholder: '<name>' }),
  'exclude-regex': list('all clusters but those whose name matches', { placeholder: '<pattern>' }),
  services: list('only tasks of these services', { placeholder: '<name>' }),
  'services-regex': list('only tasks of services whose name matches', { placeholder: '<pattern>' }),
  'exclude-services': list('only tasks of services, but not of these', { placeholder: '<name>' }),
  'exclude-services-regex': list('only tasks of services, but not of those whose name matches', {
    placeholder: '<pattern>',
  }),
  ...AWS_FLAGS,
} as const

export interface EcsValues extends AwsValues {
  clusters: readonly string[]
  'clusters-regex': readonly string[]
  exclude: readonly string[]
  'exclude-regex': readonly string[]
  services: readonly string[]
  'services-regex': readonly string[]
  'exclude-services': readonly string[]
  'exclude-services-regex': readonly string[]
}

export const snapshotEcs = defineCommand({
  words: ['snapshot', 'ecs'],
  summary: 'report what the tasks of ECS run',
  details:
    'Reports all tasks of the clusters, also those that no service started, unless services are chosen. A cluster that cannot be seen makes the report partial. A container whose digest AWS does not know is reported without one.',
  args: [argument('environment', 'the environment')],
  flags: { ...ECS_FLAGS, ...CREATE_FLAGS },
  needs: 'org',
  operations: ['reportTasks'],
  is_recorded: true,
  examples: ['snapshot ecs production', 'snapshot ecs production --clusters main --services backend'],
  run: async ({ args, flags, context }) => {
    const target = { environment: args.environment ?? '', type: 'ECS' } as const
    const observation = await (await watchEcs(flags, context))()
    await createMissing(target, flags, context)
    return reportEnvironment(target, observation, context)
  },
})

/** Returns a function that takes one observation. */
export async function watchEcs(flags: EcsValues, context: Context): Promise<() => Promise<Observation>> {
  const { pickNames } = await import('../../reporters/aws/pick-names.ts')
  const clusters = pickNames('clusters', {
    flags: {
      names: 'clusters',
      patterns: 'clusters-regex',
      excluded_names: 'exclude',
      excluded_patterns: 'exclude-regex',
    },
    names: flags.clusters,
    patterns: flags['clusters-regex'],
    excluded_names: flags.exclude,
    excluded_patterns: flags['exclude-regex'],
  })
  const chosen = {
    names: flags.services,
    patterns: flags['services-regex'],
    excluded_names: flags['exclude-services'],
    excluded_patterns: flags['exclude-services-regex'],
  }
  const services = pickNames('services', {
    flags: {
      names: 'services',
      patterns: 'services-regex',
      excluded_names: 'exclude-services',
      excluded_patterns: 'exclude-services-regex',
    },
    ...chosen,
  })
  const chooses_services = Object.values(chosen).some(values => values.length > 0)
  const aws = openAws(flags, context)
  return () => {
    const observed_at = Math.floor(context.system.now_ms() / 1000)
    return observeTasks({ ...aws, clusters, services, chooses_services, observed_at })
  }
}
