// Shows what the program knows about its CI job, and the trust rule that admits the job without a stored key.
import { buildRule } from '../ci/claims.ts'
import type { CiJob, Found } from '../ci/detect.ts'
import { getAudience } from '../ci/exchange-token.ts'
import { describeTokenSource, getIdToken } from '../ci/tokens.ts'
import { formatRows } from '../print/output.ts'
import { defineCommand } from '../program/command.ts'
import { textOr } from '../program/flags.ts'
import { Problem } from '../program/problem.ts'

export const ciCommands = [
  defineCommand({
    words: ['ci'],
    summary: 'show what is known about the CI job, and from which variables',
    details:
      'Prints each fact that commands use by default, where it comes from, and how the job proves who it is.',
    args: [],
    flags: {},
    needs: 'nothing',
    operations: [],
    examples: ['ci', 'ci --output json'],
    run: async ({ context }) => {
      const { ci } = context
      const source = describeTokenSource(context.key_request)
      if (ci === undefined && source === undefined)
        throw new Problem('This is not a job of a CI system that the program knows', {
          exit: 'not_found',
          hint: 'Commands need their flags here. Set WAYBILL_CI to name the system.',
        })
      const facts = listFacts(ci)
      const token = source ?? 'none'
      await context.output.show({
        json: {
          system: ci?.system.id ?? null,
          facts: Object.fromEntries(facts.map(([name, { value, from }]) => [name, { value, from }])),
          token_source: source ?? null,
        },
        text: formatRows(
          ['FACT', 'VALUE', 'FROM'],
          [
            ['system', ci?.system.name, ci?.system.recognized_by],
            ...facts.map(([name, { value, from }]) => [name, value, from]),
            ['identity token', source === undefined ? 'none' : 'available', token],
          ],
          '',
        ),
        names: facts.map(([name, { value }]) => `${name}=${value}`),
      })
      if (source === undefined && ci !== undefined) context.output.say(ci.system.token_hint)
    },
  }),
  defineCommand({
    words: ['ci', 'keyless-rule'],
    summary: 'print the trust rule that lets this job in without a stored key',
    details:
      'Reads the identity token of the job and prints the body of POST /trust-rules/{org}. An admin of the organization ' +
      'creates the rule, once. The token is neither sent nor shown.',
    args: [],
    flags: {
      name: textOr('the name of the rule', 'ci', { placeholder: '<name>' }),
      privilege: textOr('the role of the keys', 'member', { choices: ['member', 'snapshotter', 'reader'] }),
    },
    needs: 'org',
    operations: [],
    examples: ['ci keyless-rule --name backend-main'],
    run: async ({ flags: { name, privilege }, context }) => {
      const { ci, key_request } = context
      const audience = getAudience(key_request)
      const { token } = await getIdToken({ ...key_request, audience })
      const rule = buildRule(token, { ci, name, privilege, audience })
      await context.output.show({ json: rule, text: JSON.stringify(rule, null, 2), names: [rule.name] })
    },
  }),
]

function listFacts(ci: CiJob | undefined): [string, Found][] {
  if (ci === undefined) return []
  const { run, step, attempt, facts } = ci
  return Object.entries({ ...facts, run, step, attempt }).filter(
    (entry): entry is [string, Found] => entry[1] !== undefined,
  )
}
