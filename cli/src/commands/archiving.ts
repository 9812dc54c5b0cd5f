// The commands that archive and unarchive a resource, the same for every noun.
import { argument, type Command, defineCommand } from '../program/command.ts'
import { change } from './read.ts'

interface Archived {
  /** As it appears in the command. */
  noun: string
  also?: readonly string[]
  /** As it appears in a sentence. */
  title: string
  /** The path of the resource; `param` is its last part. */
  template: string
  param: string
  method: 'PUT' | 'POST'
  operations: { archive: string; unarchive: string }
  effect: string
}

export function defineArchiving(archived: Archived): Command[] {
  return [define(archived, 'archive'), define(archived, 'unarchive')]
}

function define(archived: Archived, verb: 'archive' | 'unarchive'): Command {
  const { noun, also = [], title, template, param, method, operations, effect } = archived
  const isArchiving = verb === 'archive'
  return defineCommand({
    words: [verb, noun],
    also: also.map(word => [verb, word]),
    summary: isArchiving ? `archive ${title}: ${effect}` : `take ${title} back out of the archive`,
    args: [argument('name', `which one`)],
    flags: {},
    needs: 'org',
    operations: [operations[verb]],
    examples: [`${verb} ${noun} old-one`],
    run: ({ args: { name = '' }, context }) =>
      change(context, {
        method,
        template: `${template}/${verb}`,
        params: { [param]: name },
        text: () =>
          isArchiving
            ? `${capitalize(noun)} ${name} was archived`
            : `${capitalize(noun)} ${name} is active again`,
        names: () => [name],
      }),
  })
}

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
