// Reports the running containers of a machine.
import { makeEngineRequest } from '../../artifacts/network.ts'
import { argument, defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { observeContainers } from '../../reporters/docker.ts'
import { CREATE_FLAGS, createMissing, reportEnvironment } from './report.ts'

export const snapshotDocker = defineCommand({
  words: ['snapshot', 'docker'],
  summary: 'report the running containers of Docker or Podman',
  details:
    'An image that was built on the machine and never pushed has no digest. Its container is named as not seen, and the report is partial.',
  args: [argument('environment', 'the environment')],
  flags: CREATE_FLAGS,
  needs: 'org',
  operations: ['reportContainers'],
  is_recorded: true,
  examples: ['snapshot docker build-machine'],
  run: async ({ args, flags, context }) => {
    const target = { environment: args.environment ?? '', type: 'docker' } as const
    const observation = await observe(context)
    await createMissing(target, flags, context)
    return reportEnvironment(target, observation, context)
  },
})

export function observe({ exchange, system, timeout_ms }: Context) {
  const request = makeEngineRequest(exchange, system.env, timeout_ms)
  return observeContainers(request, Math.floor(system.now_ms() / 1000))
}
