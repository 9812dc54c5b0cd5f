import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listRepositoryFlags } from '../program/catalogue.ts'
import { text } from '../program/flags.ts'
import { GLOBAL_FLAGS } from '../program/globals.ts'
import { getUserFile, readRepositoryFile, readUserFile } from './files.ts'

const COMMANDS = [
  { flags: { flow: text('', { in_repository_file: true }), name: text('') } },
  { flags: GLOBAL_FLAGS },
]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string) => writeFileSync(join(folder, name), content)
const readRepository = () => readRepositoryFile(folder, listRepositoryFlags(COMMANDS))

describe('waybill.yml', () => {
  it('may set flags that do not decide where and as whom to sign in', async () => {
    write('waybill.yml', 'flow: [a, 1, true]\n')
    expect(await readRepository()).toEqual({ flow: ['a', '1', 'true'] })
  })

  it.each(['', '# only a comment\n'])('may be empty: %j', async content => {
    write('waybill.yml', content)
    expect(await readRepository()).toEqual({})
  })

  it('may be missing', async () => expect(await readRepository()).toEqual({}))

  it.each([
    'host',
    'org',
    'api-token',
    'api-token-file',
    'config-file',
    'http-proxy',
    'kubeconfig',
    'spool',
    'name',
    'unknown',
  ])('may not hold %s', async key => {
    write('waybill.yml', `flow: a\n${key}: value\n`)
    await expect(readRepository()).rejects.toThrow(
      `waybill.yml: "${key}" is not allowed in a file of the repository`,
    )
  })

  it.each([
    ['a list', '- a\n', 'waybill.yml is not a list of names and values'],
    ['a text', 'a\n', 'waybill.yml is not a list of names and values'],
    ['a nested value', 'flow: {a: b}\n', 'waybill.yml: the value of "flow" is not a text'],
    ['no value', 'flow:\n', 'waybill.yml: the value of "flow" is not a text'],
    ['broken YAML', 'flow: [1\n', 'waybill.yml is not valid YAML'],
  ])('is refused if it holds %s', async (_, content, message) => {
    write('waybill.yml', content)
    await expect(readRepository()).rejects.toThrow(message)
  })

  it('is refused if it cannot be read', async () => {
    mkdirSync(join(folder, 'waybill.yml'))
    await expect(readRepository()).rejects.toThrow('cannot be read')
  })
})

describe('the file of the user', () => {
  it.each([
    [
      'the folder for configuration',
      { XDG_CONFIG_HOME: '/config', HOME: '/home/ada' },
      '/config/waybill/config.yml',
    ],
    ['the home folder', { HOME: '/home/ada' }, '/home/ada/.config/waybill/config.yml'],
  ])('is in %s', (_, env, path) => expect(getUserFile(env)).toBe(path))

  it('may hold every value', async () => {
    write('config.yml', 'host: https://waybill.example\norg: acme\n')
    expect(await readUserFile({}, join(folder, 'config.yml'))).toEqual({
      host: ['https://waybill.example'],
      org: ['acme'],
    })
  })

  it('may be missing, unless it is named', async () => {
    expect(await readUserFile({ HOME: folder }, undefined)).toEqual({})
    await expect(readUserFile({}, join(folder, 'none.yml'))).rejects.toThrow('none.yml does not exist')
  })
})
