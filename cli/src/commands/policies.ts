// Policies, which decide which artifacts may run in the environments they are attached to.

import type { Schemas } from '../api-types.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { formatFields, formatTime } from '../print/table.ts'
import { argument, type Command, defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { requiredList, text, textOr } from '../program/flags.ts'
import { defineArchiving } from './archiving.ts'
import { readArgumentFile } from './argument-file.ts'
import { readAndList } from './list.ts'
import { change, readAndShow } from './read.ts'

type Policy = Schemas['Policy']

const ONE = '/policies/{org}/{name}'

export const policyCommands = [
  defineCommand({
    words: ['create', 'policy'],
    summary: 'create a policy, or a new version of it',
    args: [argument('name', 'the name of the policy'), argument('file', 'the YAML file with its rules')],
    flags: {
      description: text('what it is for', { short: 'd', placeholder: '<text>' }),
      comment: text('why this version is different', { placeholder: '<text>' }),
      type: textOr('the kind of policy', 'env', { choices: ['env'] }),
    },
    needs: 'org',
    operations: ['putPolicy'],
    examples: ["create policy production-rules policy.yml --comment 'require a scan'"],
    run: ({ args: { name = '', file = '' }, flags, context }) =>
      change(context, {
        method: 'PUT',
        template: '/policies/{org}',
        json: dropMissing({
          name,
          type: flags.type,
          description: flags.description,
          comment: flags.comment,
          policy_yaml: readArgumentFile(file, context.system.cwd),
        }),
        text: (_, status) => `Policy ${name} was ${status === 201 ? 'created' : 'updated'}`,
        names: () => [name],
      }),
  }),
  defineCommand({
    words: ['get', 'policy'],
    summary: 'show a policy and where it is attached',
    args: [argument('name', 'the name of the policy')],
    flags: {},
    needs: 'org',
    operations: ['getPolicy'],
    examples: ['get policy production-rules'],
    run: ({ args: { name = '' }, context }) =>
      readAndShow<Policy>(context, { template: ONE, params: { name } }, found => {
        const latest = found.versions.toSorted((one, other) => other.version - one.version)[0]
        return {
          names: [found.name],
          text: formatFields([
            ['Name', found.name],
            ['Description', found.description],
            ['Version', latest?.version],
            ['Changed', `${formatTime(latest?.timestamp)} by ${latest?.created_by}`],
            ['Comment', latest?.comment],
            ['Environments', found.consuming_envs.join(', ')],
            ['Page', found.html_url],
            ['Rules', latest?.policy_yaml],
          ]),
        }
      }),
  }),
  defineCommand({
    words: ['list', 'policies'],
    also: [['list', 'policy']],
    summary: 'list the policies of an organization',
    args: [],
    flags: {},
    needs: 'org',
    operations: ['listPolicies'],
    examples: ['list policies'],
    run: ({ context }) =>
      readAndList<Policy>(
        context,
        { template: '/policies/{org}' },
        {
          head: ['NAME', 'DESCRIPTION', 'VERSIONS', 'ENVIRONMENTS', 'CHANGED'],
          toRow: found => [
            found.name,
            found.description,
            found.versions.length,
            found.consuming_envs.join(', '),
            formatTime(found.last_modified_at),
          ],
          toName: ({ name }) => name,
          nothing: 'No policies',
        },
      ),
  }),
  ...defineArchiving({
    noun: 'policy',
    title: 'a policy',
    template: ONE,
    param: 'name',
    method: 'PUT',
    operations: { archive: 'archivePolicy', unarchive: 'unarchivePolicy' },
    effect: 'it can no longer be attached',
  }),
  defineAttaching('attach'),
  defineAttaching('detach'),
]

function defineAttaching(verb: 'attach' | 'detach'): Command {
  const isAttaching = verb === 'attach'
  return defineCommand({
    words: [`${verb}-policy`],
    also: [[verb, 'policy']],
    summary: isAttaching
      ? 'make a policy apply to environments'
      : 'stop a policy from applying to environments',
    args: [argument('name', 'the name of the policy')],
    flags: { environment: requiredList('the environments', { short: 'e', placeholder: '<names>' }) },
    needs: 'org',
    operations: [isAttaching ? 'attachPolicies' : 'detachPolicies'],
    examples: [`${verb}-policy production-rules --environment production,staging`],
    run: async ({ args: { name = '' }, flags: { environment: environments }, context }) => {
      // One after the other: the first failure shows where it stopped.
      for (const environment of environments) await changeAttachment(context, { verb, name, environment })
      return undefined
    },
  })
}

function changeAttachment(
  context: Context,
  { verb, name, environment }: { verb: 'attach' | 'detach'; name: string; environment: string },
): Promise<undefined> {
  return change(context, {
    method: verb === 'attach' ? 'POST' : 'DELETE',
    template: '/environments/{org}/{env_name}/policies',
    params: { env_name: environment },
    json: { policy_names: [name] },
    text: () =>
      verb === 'attach'
        ? `Policy ${name} is attached to environment ${environment}`
        : `Policy ${name} is no longer attached to environment ${environment}`,
    names: () => [environment],
  })
}
