// Shows one attestation by its id, or all attestations with a name. Recording them is in attest/.
import type { Schemas } from '../api-types.ts'
import { formatFields, formatPairs, formatState, formatTime } from '../print/table.ts'
import { defineCommand, optionalArgument } from '../program/command.ts'
import { text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { optionalFlow } from './flags.ts'
import { readPage } from './pages.ts'
import { type Reading, readAndShow } from './read.ts'

type Attestation = Schemas['Attestation']

interface Choice {
  name: string | undefined
  flow: string | undefined
  trail: string | undefined
  fingerprint: string | undefined
  'attestation-id': string | undefined
}

export const getAttestationCommands = [
  defineCommand({
    words: ['get', 'attestation'],
    summary: 'show the attestations of a name, the newest first, or one by its id',
    args: [optionalArgument('name', 'the name of the attestation')],
    flags: {
      'attestation-id': text('the id, instead of a name', { placeholder: '<id>' }),
      flow: { ...optionalFlow, summary: 'the flow', short: 'f' },
      trail: text('the trail', { short: 't', placeholder: '<trail>' }),
      fingerprint: text('the artifact, instead of a trail', { short: 'F', placeholder: '<sha256>' }),
    },
    needs: 'org',
    operations: ['listAttestationsOfTrail', 'listAttestationsOfArtifact', 'listAttestations'],
    examples: [
      'get attestation unit-tests --flow backend-ci --trail 4f2c1d0',
      'get attestation --attestation-id 0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d',
    ],
    run: ({ args, flags, context }) =>
      readAndShow<unknown>(context, chooseReading({ name: args.name, ...flags }), found => {
        const { items } = readPage<Attestation>(found, 'data')
        return {
          names: items.map(({ attestation_id }) => attestation_id),
          text: items.length === 0 ? 'No attestations' : items.map(describe).join('\n\n'),
        }
      }),
  }),
]

function chooseReading(choice: Choice): Reading {
  const { name, flow: flow_name, trail, fingerprint, 'attestation-id': attestation_id } = choice
  if (attestation_id !== undefined) {
    if ([name, flow_name, trail, fingerprint].some(value => value !== undefined))
      failUsage('--attestation-id stands alone', 'Give either the id, or a name with --flow.')
    return { template: '/attestations/{org}', query: { attestation_id } }
  }
  if (name === undefined)
    failUsage('No attestation was named', 'Give a name with --flow, or --attestation-id.')
  if (flow_name === undefined) failUsage('--flow is missing: the flow of the attestation')
  if ((trail === undefined) === (fingerprint === undefined))
    failUsage('An attestation is about a trail or an artifact', 'Give either --trail or --fingerprint.')
  if (trail !== undefined)
    return {
      template: '/attestations/{org}/{flow_name}/trail/{trail_name}/{attestation_name}',
      params: { flow_name, trail_name: trail, attestation_name: name },
    }
  return {
    template: '/attestations/{org}/{flow_name}/artifact/{fingerprint}/{attestation_name}',
    params: { flow_name, fingerprint: fingerprint ?? '', attestation_name: name },
  }
}

function describe(found: Attestation): string {
  return formatFields([
    ['Name', found.attestation_name],
    ['Id', found.attestation_id],
    ['Type', found.attestation_type],
    ['State', formatState(found.is_compliant)],
    ['Flow', found.flow_name],
    ['Trail', found.trail_name],
    ['Artifact', found.artifact_fingerprint],
    ['Description', found.description],
    ['Annotations', formatPairs(found.annotations)],
    ['Evidence', found.evidence_archive_fingerprint],
    ['Reported', `${formatTime(found.created_at)} by ${found.reported_by}`],
    ['Page', found.html_url],
  ])
}
