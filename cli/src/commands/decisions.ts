// Decisions that wait for a second person.
import type { Schemas } from '../api-types.ts'
import { formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { confirmDeletion } from './confirm.ts'
import { readAndList } from './list.ts'
import { change } from './read.ts'

export const decisionCommands = [
  defineCommand({
    words: ['list', 'decisions'],
    also: [['list', 'decision']],
    summary: 'list the overrides and allow-list entries that wait for another person',
    args: [],
    flags: {},
    needs: 'org',
    operations: ['listDecisions'],
    examples: ['list decisions'],
    run: ({ context }) =>
      readAndList<Schemas['WaitingDecision']>(
        context,
        { template: '/decisions/{org}' },
        {
          head: ['ID', 'KIND', 'REASON', 'ASKED BY', 'ASKED', 'EXPIRES'],
          toRow: found => [
            found.id,
            found.kind,
            found.reason,
            found.asked_by,
            formatTime(found.created_at),
            formatTime(found.expires_at),
          ],
          toName: ({ id }) => id,
          nothing: 'No decisions are waiting',
        },
      ),
  }),
  defineCommand({
    words: ['withdraw', 'decision'],
    summary: 'withdraw a decision that waits for another person',
    args: [argument('id', 'the id of the decision')],
    flags: {},
    needs: 'org',
    operations: ['withdrawDecision'],
    examples: ['withdraw decision 0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d --assume-yes'],
    run: async ({ args: { id = '' }, context }) => {
      if (!(await confirmDeletion(context, `decision ${id}`))) return undefined
      return change(context, {
        method: 'DELETE',
        template: '/decisions/{org}/{decision_id}',
        params: { decision_id: id },
        text: () => `Decision ${id} was withdrawn`,
        names: () => [id],
      })
    },
  }),
]
