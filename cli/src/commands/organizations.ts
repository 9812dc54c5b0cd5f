// The caller's organizations.
import type { Schemas } from '../api-types.ts'
import { argument, type Command, defineCommand } from '../program/command.ts'
import { change, readAndShow } from './read.ts'

export const organizationCommands = [
  defineCommand({
    words: ['get', 'default-org'],
    summary: 'show your default organization',
    args: [],
    flags: {},
    needs: 'service',
    operations: ['getDefaultOrg'],
    examples: ['get default-org'],
    run: ({ context }) =>
      readAndShow<Schemas['DefaultOrg']>(
        context,
        { template: '/user/default-org' },
        ({ default_org_name: name }) => ({
          names: name === null ? [] : [name],
          text: name ?? 'You have no default organization',
        }),
      ),
  }),
  defineCommand({
    words: ['update', 'default-org'],
    summary: 'choose your default organization',
    args: [argument('name', 'the organization')],
    flags: {},
    needs: 'service',
    operations: ['setDefaultOrg'],
    examples: ['update default-org acme'],
    run: ({ args: { name = '' }, context }) =>
      change(context, {
        method: 'PUT',
        template: '/user/{org}',
        params: { org: name },
        text: () => `Your default organization is ${name}`,
        names: () => [name],
      }),
  }),
  defineBeta('enable', true),
  defineBeta('disable', false),
]

/** For compatibility with other clients. The service accepts the value; there are no beta features. */
function defineBeta(verb: string, enabled: boolean): Command {
  return defineCommand({
    words: [verb, 'beta'],
    summary: `${verb} beta features; there are none`,
    args: [],
    flags: {},
    needs: 'org',
    operations: ['putExperimentalFeatures'],
    examples: [`${verb} beta`],
    is_hidden: true,
    run: ({ context }) =>
      change(context, {
        method: 'PUT',
        template: '/organizations/{org}/experimental_features',
        json: { experimental_features_enabled: enabled },
        text: () => `Beta features are ${verb}d; there are none at present`,
      }),
  })
}
