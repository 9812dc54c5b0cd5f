// Checks whether the service answers.
import { ConnectionProblem, readBody } from '../http/exchange.ts'
import { type Command, defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'
import { toggle } from '../program/flags.ts'

export const statusCommands = [
  defineStatus(['status'], [['st']], 'show whether the service is up'),
  defineStatus(['assert', 'status'], [], 'fail unless the service is up'),
]

function defineStatus(words: readonly string[], also: readonly string[][], summary: string): Command {
  const isGate = words.includes('assert')
  return defineCommand({
    words,
    also,
    summary,
    args: [],
    flags: isGate ? {} : { assert: toggle('exit with 3 if the service is down') },
    needs: 'service',
    operations: [],
    examples: [words.join(' ')],
    run: async ({ flags, context }) => {
      const problem = await findProblem(context)
      const text = problem === undefined ? 'OK' : `The service at ${context.host} is down: ${problem}`
      const state = problem === undefined ? 'up' : 'down'
      await context.output.show({
        json: { state, ...(problem === undefined ? {} : { problem }) },
        text,
        names: [state],
      })
      const mustBeUp = isGate || ('assert' in flags && flags.assert === true)
      return problem !== undefined && mustBeUp ? 'unreachable' : ('done' satisfies Exit)
    },
  })
}

/** Sent once, without retries: the question is about now. */
async function findProblem({ host, exchange, timeout_ms }: Context): Promise<string | undefined> {
  try {
    const incoming = await exchange({
      method: 'GET',
      url: new URL(`${host}/ready`),
      headers: {},
      timeout_ms,
    })
    const body = (await readBody(incoming)).toString('utf8').trim()
    return incoming.status === 200 ? undefined : `it answers ${incoming.status}: ${body.slice(0, 200)}`
  } catch (error) {
    if (error instanceof ConnectionProblem) return error.message
    throw error
  }
}
