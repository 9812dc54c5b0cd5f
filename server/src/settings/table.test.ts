// The table of settings: properties that its readers rely on in every row.
import { describe, expect, it } from 'vitest'
import { EVERY_SETTING, LOG_POLICY } from '../../test/every-setting.ts'
import { SETTING_NAMES, SETTINGS } from './table.ts'

describe('every setting', () => {
  it.each(Object.entries(SETTINGS))('has an example that its parser accepts: %s', (name, setting) => {
    // The example names a file on the operator's machine.
    const example = name === 'WAYBILL_LOG_POLICY' ? LOG_POLICY : setting.example
    expect(() => setting.read(example, name)).not.toThrow()
  })

  it.each(Object.entries(SETTINGS))('is valid if it is not set: %s', (name, setting) => {
    expect(() => setting.read(undefined, name)).not.toThrow()
  })

  it('is tested with a value other than its default', () => {
    expect(Object.keys(EVERY_SETTING).sort()).toEqual(SETTING_NAMES.toSorted())
  })
})
