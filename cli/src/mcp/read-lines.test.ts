import { describe, expect, it } from 'vitest'
import { readLines } from './read-lines.ts'

async function* send(...chunks: readonly (Buffer | string)[]) {
  yield* chunks
}

async function read(max_bytes: number, ...chunks: readonly (Buffer | string)[]) {
  const lines: (string | undefined)[] = []
  for await (const line of readLines(send(...chunks), max_bytes)) lines.push(line?.toString())
  return lines
}

describe('lines', () => {
  it.each([
    ['a chunk of several', ['a\nb\n'], ['a', 'b']],
    ['several chunks of one', ['a', 'b', 'c\n'], ['abc']],
    ['the last one without its end', ['a\nb'], ['a', 'b']],
    ['empty ones', ['\n\na\n'], ['', '', 'a']],
    ['nothing', [''], []],
    ['a character that two chunks share', [Buffer.from([0xc3]), Buffer.from([0xa9, 0x0a])], ['é']],
  ])('are read from %s', async (_, chunks, expected) => {
    expect(await read(10, ...chunks)).toEqual(expected)
  })

  it('that are too long are dropped, and the next one is read', async () => {
    expect(await read(3, 'abcd\nabc\n', 'ab', 'cd', 'ef', '\nx\n', 'toolong')).toEqual([
      undefined,
      'abc',
      undefined,
      'x',
      undefined,
    ])
  })
})
