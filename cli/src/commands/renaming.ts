// The command that renames a resource, the same for every noun.
import { argument, type Command, defineCommand } from '../program/command.ts'
import { capitalize } from './archiving.ts'
import { change } from './read.ts'

interface Renamed {
  noun: string
  also?: readonly string[]
  title: string
  template: string
  param: string
  operation: string
}

export function defineRenaming({ noun, also = [], title, template, param, operation }: Renamed): Command {
  return defineCommand({
    words: ['rename', noun],
    also: also.map(word => ['rename', word]),
    summary: `rename ${title}; the old name keeps working until another one takes it`,
    args: [argument('name', 'the present name'), argument('new-name', 'the new name')],
    flags: {},
    needs: 'org',
    operations: [operation],
    examples: [`rename ${noun} backend backend-2`],
    run: ({ args, context }) =>
      change(context, {
        method: 'PUT',
        template: `${template}/rename`,
        params: { [param]: args.name ?? '' },
        json: { new_name: args['new-name'] },
        text: () => `${capitalize(noun)} ${args.name} was renamed to ${args['new-name']}`,
        names: () => [args['new-name'] ?? ''],
      }),
  })
}
