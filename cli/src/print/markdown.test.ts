import { describe, expect, it } from 'vitest'
import { escapeMarkdown, writeMarkdownTable } from './markdown.ts'

describe('a stored text', () => {
  it.each([
    ['plain', 'unit tests 2', 'unit tests 2'],
    ['a picture', '![x](https://evil.example/a.png)', '\\!\\[x\\]\\(https\\://evil\\.example/a\\.png\\)'],
    ['an address', 'www.evil.example', 'www\\.evil\\.example'],
    ['HTML', '<img src=x onerror=y>', '&lt;img src\\=x onerror\\=y&gt;'],
    ['an entity', '&lt;b&gt;', '&amp;lt;b&amp;gt;'],
    ['a cell', 'a | b', 'a \\| b'],
    ['a heading', 'a\n# b', 'a \\# b'],
    ['a rule', 'a\n---\nb', 'a \\-\\-\\- b'],
    ['code', '`rm`', '\\`rm\\`'],
    ['a mention', '@everybody', '\\@everybody'],
    ['an escape', 'a\\', 'a\\\\'],
    ['control characters', 'a\u001b[2Jb\u202ec', 'a\\\\u001b\\[2Jb\\\\u202ec'],
  ])('never becomes markup: %s', (_, text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped)
  })
})

it('stays in its cell of a table', () => {
  expect(writeMarkdownTable(['A', 'B'], [['x|y', 'a\nb']])).toBe('| A | B |\n|---|---|\n| x\\|y | a b |')
})
