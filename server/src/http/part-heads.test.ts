import { describe, expect, it } from 'vitest'
import { makePartHeads } from './part-heads.ts'

const FORM = 'multipart/form-data; boundary=B'
const PART = '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'

function countParts(body: string, chunk_bytes: number, content_type = FORM): number | undefined {
  const heads = makePartHeads(content_type)
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at += chunk_bytes) heads?.read(bytes.subarray(at, at + chunk_bytes))
  return heads?.names().length
}

describe.each([1, 2, 3, 5, 7, 64, 10_000])('in chunks of %i bytes', chunk_bytes => {
  it.each<[string, string, number]>([
    ['no part', '--B--\r\n', 0],
    ['one part', `${PART}--B--\r\n`, 1],
    ['three parts', `${PART.repeat(3)}--B--\r\n`, 3],
    ['a part after a preamble', `ignore this\r\n${PART}--B--\r\n`, 1],
    ['a part without headers', `--B\r\n\r\nx\r\n${PART}--B--\r\n`, 2],
    ['text that resembles a delimiter', `${PART.replace('x', 'x --B\r\n-B \r--B\n--B')}--B--\r\n`, 1],
    ['an end that never comes', PART, 1],
    ['a part whose headers never end', `${PART}--B\r\nContent-Disposition: form-data\r\n--B--\r\n`, 2],
  ])('finds %s', (_, body, parts) => expect(countParts(body, chunk_bytes)).toBe(parts))
})

it.each([
  ['multipart/form-data; boundary="B"', 1],
  ['multipart/form-data; charset=utf-8; Boundary=B; x=y', 1],
  ['multipart/form-data', undefined],
])('takes the boundary from %s', (content_type, parts) => {
  expect(countParts(`${PART}--B--\r\n`, 100, content_type)).toBe(parts)
})
