import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { FIXED_TYPES } from '../template/template.ts'
import { ATTESTATION_TYPES, toStoredType, toWrittenType } from './types.ts'

describe('the list of attestation types', () => {
  it('has every file in the folder, and each name once', () => {
    const files = readdirSync(join(import.meta.dirname, 'types')).map(file => file.replace(/\.ts$/, ''))
    const names = ATTESTATION_TYPES.map(({ name }) => name)
    expect(names.map(name => name.replaceAll('_', '-')).sort()).toEqual(files.sort())
  })

  it('begins with the types that clients know: the pattern of overrides lists them in this order', () => {
    const known = ['generic', 'junit', 'snyk', 'jira', 'sonar', 'pull_request', 'decision', 'sbom']
    expect(ATTESTATION_TYPES.slice(0, known.length).map(({ name }) => name)).toEqual(known)
    expect(FIXED_TYPES.toSorted()).toEqual([...ATTESTATION_TYPES.map(({ name }) => name), '*'].toSorted())
  })
})

describe.each(ATTESTATION_TYPES.map(type => [type.name, type] as const))('%s', (name, type) => {
  it('has a name for templates and one in the database, and both mean the same', () => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    for (const either of [name, type.stored_name]) {
      expect(toWrittenType(either)).toBe(name)
      expect(toStoredType(toWrittenType(either))).toBe(type.stored_name)
    }
  })

  it('describes in a phrase what it is and when it is compliant', () => {
    expect(type.title).toMatch(/^[A-Z].*[^.]$/)
    expect(type.summary).toMatch(/^Compliant when .*[^.]$/)
  })

  it('has a command that sends its own fields', () => {
    const required = Type.Object(type.fields).required ?? []
    expect(Object.keys(type.command).toSorted()).toEqual(required.toSorted())
  })

  it('returns fields under its own names', () => {
    for (const sent of Object.keys(type.returned_as)) expect(type.fields).toHaveProperty(sent)
  })
})
