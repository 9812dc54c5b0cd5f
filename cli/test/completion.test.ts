// Bash completion, run by bash. zsh runs the same function.
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { listCompleted } from '../src/commands/completion.ts'
import { writeBash, writeFish } from '../src/commands/completion-scripts.ts'
import { commands } from '../src/commands.ts'

const completed = listCompleted(commands)

/** The words that bash offers for the last word. */
function complete(...words: string[]): string[] {
  const program = `${writeBash(completed)}
    COMP_WORDS=(waybill "$@"); COMP_CWORD=$#; _waybill; printf '%s\\n' "\${COMPREPLY[@]}"`
  const done = spawnSync('bash', ['-c', program, 'bash', ...words], { encoding: 'utf8' })
  expect(done.stderr).toBe('')
  return done.stdout.split('\n').filter(Boolean)
}

describe('bash', () => {
  it.each([
    ['verbs', ['ren'], ['rename']],
    ['single words', ['who'], ['whoami']],
    ['commands of the server', ['ser'], ['serve']],
    ['nouns', ['rename', ''], ['environment', 'flow']],
    ['third words', ['attest', 'pullrequest', 'git'], ['github', 'gitlab']],
    ['nouns that begin so', ['get', 'attestation-'], ['attestation-type']],
    [
      'flags of the command',
      ['create', 'environment', 'prod', '--inc'],
      ['--included-environments', '--include-scaling'],
    ],
    ['flags of every command', ['list', 'flows', '--org', 'acme', '--ou'], ['--output']],
    ['nothing after the words, so that files are offered', ['create', 'policy', 'x', ''], []],
    ['no hidden command', ['enable', ''], []],
  ])('offers %s', (_, words, offered) => expect(complete(...words)).toEqual(offered))
})

describe('fish', () => {
  it('quotes its descriptions', () => {
    const script = writeFish([{ words: ['get', 'it'], summary: "it's\\here", flags: [] }])
    expect(script).toContain(String.raw`-d 'it\'s\\here'`)
  })
})
