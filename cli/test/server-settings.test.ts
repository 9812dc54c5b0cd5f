// The service starts in a shell that has the command line's variables, which have the same prefix.
import { expect, it } from 'vitest'
import { readConfig } from '../../server/src/settings/config.ts'
import { GLOBAL_FLAGS } from '../src/program/globals.ts'

const NAMES = [...Object.keys(GLOBAL_FLAGS), 'flow', 'trail', 'spool-dir']
const variables = NAMES.map(name => `WAYBILL_${name.toUpperCase().replaceAll('-', '_')}`)

it.each(variables)('the service accepts %s as a variable', name => {
  expect(() => readConfig({ [name]: 'x' })).not.toThrow(/Unknown setting/)
})
