// The settings files of AWS tools.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseSections, readSettings } from './config-files.ts'

const home = mkdtempSync(join(tmpdir(), 'waybill-aws-'))
mkdirSync(join(home, '.aws'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('a settings file', () => {
  it('has sections with settings, comments, and settings with parts', () => {
    const text =
      '# x\n[default]\nregion = eu-west-1 ; here\ns3 =\n  max = 1\n[profile two]\r\nRole_Arn=a=b\r\n'
    expect([...parseSections(text)]).toEqual([
      ['default', { region: 'eu-west-1', s3: '' }],
      ['profile two', { role_arn: 'a=b' }],
    ])
  })
})

describe('the settings', () => {
  it('come from both files, and from the named profile', () => {
    writeFileSync(
      join(home, '.aws', 'config'),
      '[profile two]\nregion=r\n[two]\nregion=x\n[sso-session s]\nsso_region=q\n',
    )
    writeFileSync(join(home, '.aws', 'credentials'), '[two]\naws_access_key_id=k\n')
    const { profile, profiles, sso_sessions } = readSettings({ HOME: home, AWS_PROFILE: 'two' })
    expect(profile).toBe('two')
    expect(profiles.get('two')).toEqual({ region: 'r', aws_access_key_id: 'k' })
    expect(sso_sessions.get('s')).toEqual({ sso_region: 'q' })
  })

  it.each([
    [{ AWS_PROFILE: 'none' }, 'there is no profile'],
    [{ AWS_CONFIG_FILE: 'config' }, 'not an absolute path'],
    [{ AWS_SHARED_CREDENTIALS_FILE: './credentials' }, 'not an absolute path'],
    [{ AWS_CONFIG_FILE: '/nowhere/config' }, 'does not exist'],
  ])('are refused: %j', (env, message) => {
    expect(() => readSettings({ HOME: home, ...env })).toThrow(message)
  })
})
