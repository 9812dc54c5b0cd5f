// Which secrets are removed from a text before it is stored as an address or shown in an error.
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { RepoInfo } from '../src/api/shared/wire.ts'
import { WebAddress, WebAddressOrEmpty } from '../src/domain/schema.ts'
import { redactSecrets, systemSecrets } from '../src/lib/secrets.ts'
import { formatInput } from '../src/lib/sentences.ts'
import { makeBodyShapeCheck } from '../src/lib/shape.ts'

describe('an address', () => {
  it.each([
    ['https://robot:password@git.example.com/a', 'https://git.example.com/a'],
    ['https://token@git.example.com:8443/a?b=c#d', 'https://git.example.com:8443/a?b=c#d'],
    ['HTTPS://robot:p@ss@git.example.com', 'HTTPS://git.example.com'],
    ['https:////robot:password@git.example.com/a', 'https:////git.example.com/a'],
    ['ssh://robot:password@git.example.com/a', 'ssh://git.example.com/a'],
    ['ssh://git@git.example.com/a', 'ssh://git@git.example.com/a'],
    ['git@git.example.com:acme/backend.git', 'git@git.example.com:acme/backend.git'],
    ['https://npm.example.com/@acme/backend', 'https://npm.example.com/@acme/backend'],
    ['https://git.example.com/a?by=ada@example.com', 'https://git.example.com/a?by=ada@example.com'],
    ['', ''],
  ])('%j becomes %j', (given, left) => {
    expect(redactSecrets(given)).toBe(left)
  })

  it('loses its password in every address field', () => {
    const given = 'https://robot:password@git.example.com/a'
    const body = { link: given, maybe: given, repo: { id: '1', name: 'a', url: given }, list: [given] }
    const schema = Type.Object({
      link: WebAddress,
      maybe: Type.Optional(WebAddressOrEmpty),
      repo: RepoInfo,
      list: Type.Array(WebAddress),
    })
    expect(makeBodyShapeCheck(schema)(body, '')).toBeUndefined()
    expect(JSON.stringify(body)).not.toContain('password')
    expect(body.list).toEqual(['https://git.example.com/a'])
  })

  it('is still rejected when it is not a URL', () => {
    const errors = makeBodyShapeCheck(Type.Object({ link: WebAddress }))({ link: 'ftp://u:password@h' }, '')
    expect(errors).toEqual({
      link: 'Input should be a valid URL with the scheme http or https [input: ftp://h]',
    })
  })
})

describe('the input that an error repeats', () => {
  const { key, hint } = systemSecrets.createToken('user')

  it.each([
    ['a key', key, `${hint}_…`],
    ['a mistyped key', key.slice(0, -3), `${hint}_…`],
    ['a key in a list', [key], `["${hint}_…"]`],
    ['keys in a row', key + key, `${hint}_…${hint}_…`],
    ['a hint', hint, hint],
  ])('has no secret of %s', (_what, given, left) => {
    expect(formatInput(given)).toBe(left)
  })
})
