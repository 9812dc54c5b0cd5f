// Acme and another org with rows in every table.
import { expect } from 'vitest'
import { insertSession } from './browser.ts'
import { fillKeyless } from './ci-issuer.ts'
import { fillControls } from './controls.ts'
import { fillDecision } from './decisions.ts'
import { buildReport, fillApproval, fillLateReport, fillOpener } from './filled-org.ts'
import { type Client, makeFile, type TestApp } from './harness.ts'
import { fillNotifications } from './notification-targets.ts'
import { fillLogs } from './publish-logs.ts'
import { makeBuild, makeFingerprint, nameTrail } from './reports.ts'
import { fillScim } from './scim.ts'

/** Fills every table for both orgs, so that an empty result proves tenant isolation and not an empty table. */
export async function fillBothOrgs(app: TestApp): Promise<void> {
  for (const [client, org] of [
    [app.member, 'acme'],
    [app.outsider, 'other-corp'],
  ] as const) {
    await client.put(`/flows/${org}`, { name: 'first', description: '' })
    await client.put(`/trails/${org}/first`, { name: 'trail' })
    await client.post(`/custom-attestation-types/${org}`, { name: 'type' })
    await reportBuild(client, org)
    const admin = org === 'acme' ? app.admin : app.outsider
    const invitation = { email: 'ines@example.com', role: 'reader' }
    expect((await admin.post(`/invitations/${org}`, invitation)).status).toBe(201)
    expect((await admin.put(`/flows/${org}/first/rename`, { new_name: 'second' })).status).toBe(200)
    await app.sql(
      `with account as (
         insert into service_accounts (org_id, service_account_id, name, display_name, privilege, created_at)
         select org_id, gen_random_uuid(), 'bot', 'bot', 'reader', now() from orgs where name = $1
         returning org_id, service_account_id
       ), key as (
         insert into service_account_keys
           (org_id, service_account_id, key_id, secret_hash, hint, description, created_at)
         select org_id, service_account_id, gen_random_uuid(), decode(md5($1), 'hex'), '', '', now() from account
       )
       insert into outbox (org_id, job_id, kind, payload, created_at, due_at)
       select org_id, gen_random_uuid(), 'test', '{}', now(), now() from account`,
      [org],
    )
    await fillIdentity(app, org === 'acme' ? 'ada' : 'oscar')
    await fillEnvironments(client, org)
    await fillControls(admin, org, 'second')
    await fillNotifications(app, admin, org, 'cluster', 'second')
    await fillKeyless(app, org)
    await fillScim(app, admin, org)
    expect((await admin.post(`/badge-tokens/${org}`, { flow_name: 'second' })).status).toBe(201)
    await fillDecision(admin, org, 'cluster')
    await fillOpener(app, org)
    await fillRecipient(app, org)
    // Nobody writes these rows anymore; the release after the first one drops the table.
    await app.sql(
      `insert into template_artifacts (org_id, template_id, name)
       select org_id, template_id, 'image' from templates join orgs using (org_id) where orgs.name = $1`,
      [org],
    )
    await app.sql(
      `with repo as (
         insert into repos (org_id, repo_id, provider, external_id, name, url, description, namespace_path,
                            additional_info, created_at, last_modified_at)
         select org_id, gen_random_uuid(), 'github', '1', 'owner/name', '', '', '[]', '{}', now(), now()
         from orgs where name = $1
         returning org_id, repo_id
       )
       insert into trail_repos (org_id, trail_id, repo_id)
       select repo.org_id, t.trail_id, repo.repo_id from repo join trails t on t.org_id = repo.org_id`,
      [org],
    )
  }
  await fillLogs(app)
}

/** Somebody whose mail of the organization is held back. */
async function fillRecipient(app: TestApp, org: string): Promise<void> {
  await app.sql(
    `with recipient as (insert into mail_recipients (address_hash, began_at) select decode(md5($1), 'hex'), now())
     insert into held_mails (address_hash, sender_id, place, messages, sealed)
     select decode(md5($1), 'hex'), org_id, 1, 1, '' from orgs where name = $1`,
    [org],
  )
}

/** A signed-in person with an identity at a provider, an open link and a sign-in in progress. */
async function fillIdentity(app: TestApp, user: string): Promise<void> {
  await insertSession(app, user)
  await app.sql(
    `with person as (select user_id, name from users where name = $1), known as (
       insert into identities (issuer, subject, user_id, created_at, last_seen_at)
       select 'https://idp.example', name, user_id, now(), now() from person
     ), link as (
       insert into sign_in_links (token_hash, user_id, method, next_path, created_at, expires_at)
       select decode(md5(name), 'hex'), user_id, 'link', '/', now(), now() from person
     ), proof as (
       insert into address_proofs (token_hash, user_id, email, created_at, expires_at)
       select decode(md5(name), 'hex'), user_id, name || '@new.example', now(), now() from person
     )
     insert into sign_in_attempts (state_hash, browser_hash, provider, sealed, next_path, created_at, expires_at)
     select decode(md5(name), 'hex'), decode(md5(name), 'hex'), 'sso', '', '/', now(), now() from person`,
    [user],
  )
}

/** A logical environment with a renamed member. */
async function fillEnvironments(client: Client, org: string): Promise<void> {
  await client.put(`/environments/${org}`, { name: 'old-name', type: 'K8S' })
  await client.put(`/environments/${org}/old-name/rename`, { new_name: 'cluster' })
  await client.put(`/environments/${org}`, { name: 'all', type: 'logical' })
  const joined = await client.put(`/environments/${org}/all/join`, { physical_env_name: 'cluster' })
  expect(joined.status).toBe(200)
  await fillPolicies(client, org)
}

/** The member has a policy and one allow-list entry. */
async function fillPolicies(client: Client, org: string): Promise<void> {
  await client.put(`/policies/${org}/rules`, { policy_yaml: '_schema: https://waybill.example/v1\n' })
  const attached = await client.post(`/environments/${org}/cluster/policies`, { policy_names: ['rules'] })
  expect(attached.status).toBe(200)
  const entry = {
    artifact_fingerprint: makeFingerprint('b'),
    artifact_name: 'image:1',
    description: 'reviewed',
  }
  expect((await client.put(`/allowlists/${org}/cluster`, entry)).status).toBe(201)
  // A report that starts artifacts adds a pending evaluation.
  const done = await client.put(`/environments/${org}/cluster/report/K8S`, buildReport())
  expect(done.status).toBe(200)
  await fillLateReport(client, org, 'cluster')
}

/** A build with evidence, under a template that requires both, sent with an idempotency key. */
async function reportBuild(client: Client, org: string): Promise<void> {
  const template =
    'version: 1\ntrail:\n  artifacts:\n    - name: image\n      attestations:\n        - {name: a, type: generic}\n'
  await client.form('PUT', `/flows/${org}/template_file`, {
    data_json: JSON.stringify({ name: 'built' }),
    template_file: makeFile(template),
  })
  const artifact = makeBuild(makeFingerprint('a'), nameTrail('trail'))
  await client.call('POST', `/artifacts/${org}/built`, artifact, { 'idempotency-key': 'once' })
  const attestation = {
    attestation_name: 'a',
    artifact_fingerprint: makeFingerprint('a'),
    is_compliant: true,
  }
  const done = await client.form('POST', `/attestations/${org}/built/trail/trail/generic`, {
    data_json: JSON.stringify(attestation),
    attachment_file: makeFile('evidence'),
  })
  expect(done.status).toBe(201)
  await fillApproval(client, org, 'built', makeFingerprint('a'))
}
