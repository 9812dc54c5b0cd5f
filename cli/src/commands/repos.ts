// Repositories that the artifacts of an organization come from.
import type { Schemas } from '../api-types.ts'
import { formatFields, formatPairs, formatTime } from '../print/table.ts'
import { defineCommand, optionalArgument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { list, text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { PAGE_FLAGS } from './flags.ts'
import { readAndList } from './list.ts'
import { read, readAndShow } from './read.ts'

export type Repo = Schemas['Repo']

export const REPO_FLAGS = {
  provider: text('who hosts it, if several repositories have this name', { placeholder: '<host>' }),
  'repo-id': text('its id in Waybill, instead of the name', { placeholder: '<id>' }),
} as const

export interface RepoChoice {
  name: string | undefined
  provider: string | undefined
  'repo-id': string | undefined
}

export const repoCommands = [
  defineCommand({
    words: ['list', 'repos'],
    also: [['list', 'repo']],
    summary: 'list the repositories of an organization',
    args: [],
    flags: {
      ...PAGE_FLAGS,
      name: text('only the one with this name', { placeholder: '<owner/name>' }),
      search: text('only names with this text', { placeholder: '<text>' }),
      provider: text('only those of this host', { placeholder: '<host>' }),
      'repo-id': text('only the one with this id at its host', { placeholder: '<id>' }),
      tag: list('only with these tags', { placeholder: '<key or key:value>' }),
      'sort-direction': text('upwards or downwards', { choices: ['asc', 'desc'] }),
    },
    needs: 'org',
    operations: ['listRepos'],
    examples: ['list repos --search backend'],
    run: ({ flags, context }) => {
      if (flags.name !== undefined && flags.search !== undefined)
        failUsage('--name and --search exclude each other')
      return readAndList<Repo>(
        context,
        {
          template: '/repos/{org}',
          query: {
            page: flags.page,
            per_page: flags['page-limit'],
            name: flags.name,
            search: flags.search,
            provider: flags.provider,
            repo_id: flags['repo-id'],
            tag: flags.tag,
            sort_direction: flags['sort-direction'],
          },
        },
        {
          key: 'repos',
          head: ['NAME', 'HOST', 'ADDRESS', 'TAGS'],
          toRow: ({ name, provider, url, tags }) => [name, provider, url, formatPairs(tags)],
          toName: ({ name }) => name,
          nothing: 'No repos',
        },
      )
    },
  }),
  defineCommand({
    words: ['get', 'repo'],
    summary: 'show a repository',
    args: [optionalArgument('name', 'its full name, such as acme/backend')],
    flags: REPO_FLAGS,
    needs: 'org',
    operations: ['getRepo'],
    examples: ['get repo acme/backend --provider github'],
    run: ({ args, flags, context }) =>
      readAndShow<Repo>(context, buildReading({ name: args.name, ...flags }), found => ({
        names: [found.id],
        text: formatFields([
          ['Name', found.name],
          ['Id', found.id],
          ['Host', found.provider],
          ['Id at the host', found.repo_id],
          ['Address', found.url],
          ['Description', found.description],
          ['Tags', formatPairs(found.tags)],
          ['First seen', formatTime(found.created_at)],
        ]),
      })),
  }),
]

export async function findRepo(context: Context, choice: RepoChoice): Promise<Repo> {
  const { json } = await read(context, buildReading(choice))
  return json as Repo
}

function buildReading({ name, provider, 'repo-id': id }: RepoChoice) {
  if ((name === undefined) === (id === undefined))
    failUsage('A repository is named by its name or by --repo-id', 'Give one of the two.')
  return {
    template: '/repos/{org}/{repo_name}',
    // The service ignores the name if an id is given.
    params: { repo_name: name ?? '-' },
    query: { provider, id },
  }
}
