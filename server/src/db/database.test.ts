// The settings of the service's own connections, whatever those of the server are.
import { expect, it } from 'vitest'
import { testApp } from '../../test/harness.ts'
import { statement, text } from './statement.ts'

const jitSeen = statement('test.jit_seen', {}, { jit: text }, `select current_setting('jit') as jit`)

it('statements are not compiled, because that takes longer than they do', async () => {
  const app = await testApp()
  try {
    expect(await app.sql('show jit')).toEqual([{ jit: 'on' }])
    expect(await app.db.once({}, jitSeen, {})).toEqual([{ jit: 'off' }])
  } finally {
    await app.stop()
  }
})
