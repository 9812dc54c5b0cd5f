// Service accounts: the identities of programs.

import type { Schemas } from '../api-types.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { formatFields, formatTime } from '../print/table.ts'
import { argument, defineCommand, repeatedArgument } from '../program/command.ts'
import { requiredText, text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { confirmDeletion } from './confirm.ts'
import { readAndList } from './list.ts'
import { change, readAndShow } from './read.ts'

type Account = Schemas['ServiceAccount']

const ALL = '/service-accounts/{org}'
const ONE = `${ALL}/{name}`
const PRIVILEGES = ['admin', 'member', 'snapshotter', 'auditor', 'reader'] as const

export const serviceAccountCommands = [
  defineCommand({
    words: ['create', 'service-account'],
    also: [['create', 'sa']],
    summary: 'create a service account',
    args: [argument('name', 'its name')],
    flags: {
      privilege: requiredText('its role', { choices: PRIVILEGES }),
      description: text('what it is for', { short: 'd', placeholder: '<text>' }),
      owner: text('the person who answers for it', { placeholder: '<user>' }),
    },
    needs: 'org',
    operations: ['createServiceAccount'],
    examples: ['create service-account ci --privilege member'],
    run: ({ args: { name = '' }, flags: { privilege, description, owner }, context }) =>
      change(context, {
        method: 'POST',
        template: ALL,
        json: dropMissing({ name, privilege, description, owner }),
        text: () => `Service account ${name} was created`,
        names: () => [name],
      }),
  }),
  defineCommand({
    words: ['update', 'service-account'],
    also: [['update', 'sa']],
    summary: 'change a service account',
    args: [argument('name', 'its name')],
    flags: {
      privilege: text('its role', { choices: PRIVILEGES }),
      description: text('what it is for', { short: 'd', placeholder: '<text>' }),
      owner: text('the person who answers for it', { placeholder: '<user>' }),
    },
    needs: 'org',
    operations: ['patchServiceAccount'],
    examples: ['update service-account ci --privilege reader'],
    run: ({ args: { name = '' }, flags: { privilege, description, owner }, context }) => {
      const json = dropMissing({ privilege, description, owner })
      if (Object.keys(json).length === 0)
        failUsage('There is nothing to change', 'Give --privilege, --description or --owner.')
      return change(context, {
        method: 'PATCH',
        template: ONE,
        params: { name },
        json,
        text: () => `Service account ${name} was updated`,
        names: () => [name],
      })
    },
  }),
  defineCommand({
    words: ['get', 'service-account'],
    also: [['get', 'sa']],
    summary: 'show a service account',
    args: [argument('name', 'its name')],
    flags: {},
    needs: 'org',
    operations: ['getServiceAccount'],
    examples: ['get service-account ci'],
    run: ({ args: { name = '' }, context }) =>
      readAndShow<Account>(context, { template: ONE, params: { name } }, found => ({
        names: [found.name],
        text: formatFields([
          ['Name', found.name],
          ['Role', found.privilege],
          ['Description', found.description],
          ['Owner', found.owner],
          ['Created', formatTime(found.created_at)],
          ['Keys stop', formatTime(found.keys_stop_at)],
        ]),
      })),
  }),
  defineCommand({
    words: ['list', 'service-accounts'],
    also: [
      ['list', 'service-account'],
      ['list', 'sa'],
      ['list', 'sas'],
    ],
    summary: 'list the service accounts of an organization',
    args: [],
    flags: {},
    needs: 'org',
    operations: ['listServiceAccounts'],
    examples: ['list service-accounts'],
    run: ({ context }) =>
      readAndList<Account>(
        context,
        { template: ALL },
        {
          head: ['NAME', 'ROLE', 'DESCRIPTION', 'OWNER', 'CREATED'],
          toRow: ({ name, privilege, description, owner, created_at }) => [
            name,
            privilege,
            description,
            owner,
            formatTime(created_at),
          ],
          toName: ({ name }) => name,
          nothing: 'No service accounts',
        },
      ),
  }),
  defineCommand({
    words: ['delete', 'service-account'],
    also: [['delete', 'sa']],
    summary: 'delete service accounts; their keys stop working at once',
    args: [repeatedArgument('name', 'their names')],
    flags: {},
    needs: 'org',
    operations: ['deleteServiceAccount'],
    examples: ['delete service-account old-ci --assume-yes'],
    run: async ({ repeated: names, context }) => {
      if (!(await confirmDeletion(context, `service account ${names.join(', ')} with its keys`)))
        return undefined
      for (const name of names)
        await change(context, {
          method: 'DELETE',
          template: ONE,
          params: { name },
          text: () => `Service account ${name} was deleted`,
          names: () => [name],
        })
      return undefined
    },
  }),
]
