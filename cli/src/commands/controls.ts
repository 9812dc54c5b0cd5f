// Controls, and decisions on them.

import type { Schemas } from '../api-types.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { formatFields, formatPairs, formatState, formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { list, number, pairs, requiredText, text, toggle } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { defineArchiving } from './archiving.ts'
import { optionalFlow, PAGE_FLAGS } from './flags.ts'
import { readAndList } from './list.ts'
import { change, readAndShow } from './read.ts'

type Control = Schemas['Control']

const ALL = '/controls/{org}'
const ONE = `${ALL}/{identifier}`

export const controlCommands = [
  defineCommand({
    words: ['create', 'control'],
    summary: 'create a control',
    args: [argument('identifier', 'a short identifier, such as SDLC-1')],
    flags: {
      name: requiredText('what it demands', { short: 'n', placeholder: '<text>' }),
      description: text('more about it', { short: 'd', placeholder: '<text>' }),
      link: pairs('a link to more about it', { placeholder: '<name=url>' }),
    },
    needs: 'org',
    operations: ['createControl'],
    examples: ["create control SDLC-1 --name 'Code is reviewed'"],
    run: ({ args: { identifier = '' }, flags, context }) =>
      change(context, {
        method: 'POST',
        template: ALL,
        json: dropMissing({
          identifier,
          name: flags.name,
          description: flags.description,
          links: omitEmpty(flags.link),
        }),
        text: () => `Control ${identifier} was created`,
        names: () => [identifier],
      }),
  }),
  defineCommand({
    words: ['update', 'control'],
    summary: 'change a control; every change is a new version',
    args: [argument('identifier', 'its identifier')],
    flags: {
      name: text('what it demands', { short: 'n', placeholder: '<text>' }),
      description: text('more about it', { short: 'd', placeholder: '<text>' }),
      link: pairs('a link; replaces all links that it has', { placeholder: '<name=url>' }),
    },
    needs: 'org',
    operations: ['putControl'],
    examples: ['update control SDLC-1 --link runbook=https://example.com/runbook'],
    run: ({ args: { identifier = '' }, flags, context }) => {
      const json = dropMissing({
        name: flags.name,
        description: flags.description,
        links: omitEmpty(flags.link),
      })
      if (Object.keys(json).length === 0)
        failUsage('There is nothing to change', 'Give --name, --description or --link.')
      return change(context, {
        method: 'PUT',
        template: ONE,
        params: { identifier },
        json,
        text: found => `Control ${identifier} has version ${(found as Control).version}`,
        names: () => [identifier],
      })
    },
  }),
  defineCommand({
    words: ['get', 'control'],
    summary: 'show a control',
    args: [argument('identifier', 'its identifier')],
    flags: {},
    needs: 'org',
    operations: ['getControl'],
    examples: ['get control SDLC-1'],
    run: ({ args: { identifier = '' }, context }) =>
      readAndShow<Control>(context, { template: ONE, params: { identifier } }, found => ({
        names: [found.identifier],
        text: formatFields([
          ['Identifier', found.identifier],
          ['Name', found.name],
          ['Description', found.description],
          ['Version', found.version],
          ['Archived', found.archived ? 'yes' : 'no'],
          ['Links', formatPairs(found.links)],
          ['Tags', formatPairs(found.tags)],
          ['Policies', found.policies_referencing.join(', ')],
          ['Page', found.html_url],
        ]),
      })),
  }),
  defineCommand({
    words: ['list', 'controls'],
    also: [['list', 'control']],
    summary: 'list the controls of an organization',
    args: [],
    flags: {
      ...PAGE_FLAGS,
      search: text('only names and identifiers with this text', { placeholder: '<text>' }),
      tag: list('only with all of these tags', { placeholder: '<key or key:value>' }),
      archived: toggle('the archived ones instead'),
      'sort-direction': text('upwards or downwards', { choices: ['asc', 'desc'] }),
    },
    needs: 'org',
    operations: ['listControls'],
    examples: ['list controls --tag framework:iso'],
    run: ({ flags, context }) =>
      readAndList<Control>(
        context,
        {
          template: ALL,
          query: {
            page: flags.page,
            per_page: flags['page-limit'],
            search: flags.search,
            tag: flags.tag,
            archived: flags.archived || undefined,
            sort_direction: flags['sort-direction'],
          },
        },
        {
          key: 'controls',
          head: ['IDENTIFIER', 'NAME', 'VERSION', 'POLICIES', 'TAGS'],
          toRow: found => [
            found.identifier,
            found.name,
            found.version,
            found.policies_referencing.join(', '),
            formatPairs(found.tags),
          ],
          toName: ({ identifier }) => identifier,
          nothing: 'No controls',
        },
      ),
  }),
  ...defineArchiving({
    noun: 'control',
    title: 'a control',
    template: ONE,
    param: 'identifier',
    method: 'POST',
    operations: { archive: 'archiveControl', unarchive: 'unarchiveControl' },
    effect: 'it takes no new decisions',
  }),
  defineCommand({
    words: ['list', 'control-decisions'],
    summary: 'list the decisions about a control, the newest first',
    args: [argument('identifier', 'the identifier of the control')],
    flags: {
      'page-limit': number('how many', { min: 1, max: 100, short: 'n' }),
      cursor: text('where the next page begins, as the answer says it', { placeholder: '<id>' }),
      flow: { ...optionalFlow, short: 'f' },
    },
    needs: 'org',
    operations: ['listControlDecisions'],
    examples: ['list control-decisions SDLC-1'],
    run: ({ args: { identifier = '' }, flags, context }) =>
      readAndList<Schemas['ControlDecision']>(
        context,
        {
          template: `${ONE}/decisions`,
          params: { identifier },
          query: { per_page: flags['page-limit'], cursor: flags.cursor, flow_name: flags.flow },
        },
        {
          key: 'decisions',
          head: ['TIME', 'STATE', 'EXPIRES', 'FLOW', 'TRAIL', 'ARTIFACT', 'BY'],
          toRow: found => [
            formatTime(found.created_at),
            found.is_expired ? 'EXPIRED' : formatState(found.is_compliant),
            found.expires_at === null ? '' : formatTime(found.expires_at),
            found.flow_name,
            found.trail_name,
            found.artifact_name,
            found.created_by,
          ],
          toName: ({ id }) => id,
          nothing: `No decisions about ${identifier}`,
        },
      ),
  }),
]

function omitEmpty<T extends object>(fields: T): T | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields
}
