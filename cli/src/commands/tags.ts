// Tags on flows, environments, repositories and controls.
import { argument, defineCommand, optionalArgument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { list, pairs } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { change } from './read.ts'
import { findRepo, REPO_FLAGS, type RepoChoice } from './repos.ts'

/** The words a user can type, and the API's name for each. */
const KINDS: Readonly<Record<string, string>> = {
  flow: 'flow',
  flows: 'flow',
  env: 'env',
  environment: 'env',
  environments: 'env',
  repo: 'repo',
  repos: 'repo',
  control: 'control',
  controls: 'control',
}

export const tagCommands = [
  defineCommand({
    words: ['tag'],
    summary: 'set and remove tags of a flow, an environment, a repository or a control',
    args: [
      argument('kind', 'flow, environment, repo or control'),
      optionalArgument('name', 'which one; for a repository also --repo-id'),
    ],
    flags: {
      ...REPO_FLAGS,
      set: pairs('a tag to set', { short: 's', placeholder: '<key=value>' }),
      unset: list('tags to remove', { short: 'u', placeholder: '<keys>' }),
    },
    needs: 'org',
    operations: ['patchTags', 'getRepo'],
    examples: [
      'tag flow backend-ci --set team=payments --unset tier',
      'tag repo acme/backend --set team=web',
    ],
    run: async ({ args: { kind = '', name }, flags, context }) => {
      const type = KINDS[kind]
      if (type === undefined)
        failUsage(`"${kind}" cannot have tags`, 'Tags are for a flow, an environment, a repo or a control.')
      if (Object.keys(flags.set).length === 0 && flags.unset.length === 0)
        failUsage('There is no tag to set or remove', 'Give --set key=value or --unset key.')
      const id = await findId(context, type, { name, ...flags })
      return change(context, {
        method: 'PATCH',
        template: '/tags/{org}/{resource_type}/{resource_id}',
        params: { resource_type: type, resource_id: id },
        json: { set_tags: flags.set, remove_tags: flags.unset },
        text: () => `Tags of ${kind} ${name ?? id} were changed`,
        names: () => [name ?? id],
      })
    },
  }),
]

async function findId(context: Context, type: string, choice: RepoChoice): Promise<string> {
  if (type === 'repo') return (await findRepo(context, choice)).id
  if (choice.provider !== undefined || choice['repo-id'] !== undefined)
    failUsage('--provider and --repo-id are for repositories only')
  return choice.name ?? failUsage(`The name of the ${type} is missing`)
}
