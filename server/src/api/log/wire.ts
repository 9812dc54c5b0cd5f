// The log of an organization as readers see it.
import { type Static, Type } from 'typebox'
import type { StoredLogKey } from '../../log/keys-store.ts'
import { WITNESS_STATES } from '../../log/witness-store.ts'
import { EXAMPLE_ID, EXAMPLE_TIME } from '../shared/examples.ts'
import { about, Closed, Nullable, OneOf, Time, toEpoch, toEpochOrNull } from '../shared/wire.ts'

const EXAMPLE_HASH = 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='
const EXAMPLE_ORIGIN = 'waybill.example.com/log/01980000-0000-7000-8000-00000000000a/1'
/** The largest number that is exact. */
const MAX_SIZE = Number.MAX_SAFE_INTEGER

export const Index = Type.Integer({
  minimum: 0,
  maximum: MAX_SIZE,
  ...about('Number of the leaf, counted from 0', 940),
})
export const Size = (description: string) =>
  Type.Integer({ minimum: 0, maximum: MAX_SIZE, ...about(description, 1000) })

const Epoch = Type.Integer(about('Number of the log; a new one is opened only after a loss of data', 1))
const Hash = (description: string) => Type.String(about(description, EXAMPLE_HASH))

export const LogConsistency = Closed('LogConsistency', {
  epoch: Epoch,
  from_size: Size('The smaller size'),
  to_size: Size('The larger size'),
  hashes: Type.Array(Hash('Hash of a subtree, base64'), {
    description: 'The consistency proof of RFC 6962, in its order',
  }),
})

const LogLeaf = Closed('LogLeaf', {
  index: Type.Integer(about('Number of the leaf, counted from 0', 940)),
  leaf: Type.String(about('Text of the leaf, of which the tree is made', 'waybill-leaf/v1\nindex 940\n…')),
  hash: Hash('SHA-256 of a zero byte and the text, base64'),
})

export const LogLeaves = Closed('LogLeaves', {
  epoch: Epoch,
  size: Size('Number of leaves in the log'),
  leaves: Type.Array(LogLeaf, { description: 'The leaves, in the order of their numbers' }),
})

export const LogBody = Closed('LogBody', {
  index: Type.Integer(about('Number of the leaf, counted from 0', 940)),
  leaf: Type.String(about('Text of the leaf', 'waybill-leaf/v1\nindex 940\n…')),
  body: Type.String(
    about(
      'Everything that the event says. The leaf has the SHA-256 of salt and body',
      '{"kind": "flow_created", …}',
    ),
  ),
  salt: Hash('The 32 random bytes that the hash of the body begins with, base64'),
})

export const LogKey = Closed('LogKey', {
  number: Type.Integer(about('Number of the key, counted from 1', 1)),
  vkey: Type.String(
    about(
      'The public key as a verifier key of signed notes',
      `${EXAMPLE_ORIGIN}+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW`,
    ),
  ),
  added_at: Time('Time when the key was made'),
  retired_at: Nullable(Type.Number(), about('Time when the key stopped signing; null while it signs', null)),
})

export const LogKeys = Closed('LogKeys', {
  origin: Type.String(about('Name of the log, the first line of its checkpoints', EXAMPLE_ORIGIN)),
  epoch: Epoch,
  keys: Type.Array(LogKey, { description: 'All keys of the log, the first one first' }),
})

export const toWireKey = (key: StoredLogKey): Static<typeof LogKey> => ({
  number: key.number,
  vkey: key.vkey,
  added_at: toEpoch(key.added_at),
  retired_at: toEpochOrNull(key.retired_at),
})

export const LogWitness = Closed('LogWitness', {
  name: Type.String(about('Name of the witness in the policy of the operator', 'auditor')),
  vkey: Type.String(
    about(
      'The public key of the witness as a verifier key of cosignatures',
      'auditor.example/witness+c74f20a3+BBpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    ),
  ),
  size: Size('Size of the largest checkpoint that the witness has cosigned; 0 if none'),
  cosigned_at: Nullable(
    Type.Number(),
    about('Time of that cosignature; null if there is none', EXAMPLE_TIME),
  ),
  state: OneOf(WITNESS_STATES, {
    description:
      'What the witness did when it was last asked: `ok`: it cosigned; `behind`: it answered and did not cosign; `unreachable`: it did not answer; `fork`: it has seen another log of this name',
  }),
  message: Type.String(
    about('One sentence about the state, for people', 'The witness has cosigned the log as it was'),
  ),
})

export const LogPlace = Closed('LogPlace', {
  epoch: Epoch,
  index: Type.Integer(about('Number of the leaf, counted from 0', 940)),
  event: Type.String(about('Id of the event', EXAMPLE_ID)),
  kind: Type.String(about('Kind of the event', 'trail_reported')),
  logged_at: Time('Time when the leaf was numbered'),
  checkpoint_size: Nullable(
    Type.Integer(),
    about(
      'Size of the newest checkpoint, which covers the leaf; null while the log cannot be signed, and for a leaf of an earlier log',
      1000,
    ),
  ),
  witnesses: Type.Integer(
    about('Number of witnesses that have cosigned a checkpoint that covers the leaf', 2),
  ),
})

const PublishedCheckpoint = Closed('LogPublishedCheckpoint', {
  size: Type.Integer(about('Number of leaves that it covers', 1000)),
  at: Time('The minute in which it was published'),
})

export const LogStatus = Closed('LogStatus', {
  state: OneOf(
    ['ok', 'empty', 'frozen', 'unanchored'],
    about(
      '`ok`: it can be signed. `empty`: nothing was recorded yet. `frozen`: something that was signed is missing, and nothing is signed until an operator reopens the log. `unanchored`: nothing is signed because checkpoints do not reach the evidence store',
      'ok',
    ),
  ),
  problem: Nullable(Type.String(), about('Why the log cannot be signed; null if it can', null)),
  origin: Nullable(
    Type.String(),
    about('Name of the log, the first line of its checkpoints', EXAMPLE_ORIGIN),
  ),
  epoch: Nullable(
    Type.Integer(),
    about('Number of the log; a new one is opened only after a loss of data', 1),
  ),
  size: Size('Number of leaves in the log'),
  checkpoint: Nullable(PublishedCheckpoint, {
    description:
      'The newest checkpoint that was also stored outside of the database; null if there is none yet',
  }),
  keys: Type.Array(LogKey, { description: 'All keys of the log, the first one first' }),
  witnesses: Type.Array(LogWitness, {
    description: 'The witnesses of the policy of the operator, in its order; empty without a policy',
  }),
  public: Type.Boolean(about('Whether anybody can read the log, without the bodies', false)),
})

export const LogWitnesses = Closed('LogWitnesses', {
  origin: Type.String(about('Name of the log, the first line of its checkpoints', EXAMPLE_ORIGIN)),
  epoch: Epoch,
  witnesses: Type.Array(LogWitness, {
    description: 'The witnesses of the policy of the operator, in its order; empty without a policy',
  }),
})
