// Every text of the page about the log, in the order in which a reader meets them.

export const proofTexts = {
  title: 'Proof',
  purpose:
    'Everything that happens in this organization is recorded in a log, each record as one numbered leaf. Nobody can change, remove or insert a record later without breaking every checkpoint signed since, not even the operator of this service.',
  proves:
    'A proof shows that a record is in the log and says what it said then. Two checkpoints show that the log has only grown.',
  limits:
    'It does not show that a report was true, and it knows nothing of what was never reported. Whoever runs the whole service could also show different logs to different people: keep the checkpoints you get, and compare them with those of others.',
  empty: {
    title: 'Nothing is recorded yet',
    help: 'The log begins with the next change in this organization. After that, this page shows its size, its checkpoints and its keys.',
  },
  frozen: {
    title: 'The log is frozen: records that were signed are missing',
    found: (problem: string) => `What was found: ${problem}.`,
    meaning:
      'The database has probably been replaced by an older one, such as a restored backup. New records are still stored and numbered, but nothing is signed, so nothing new can be proved.',
    help: 'Ask the operator to bring the missing records back from a newer backup. The log then continues by itself. If they are lost for good, the operator opens a new log with this command, and its first record says what happened to this one:',
    command: (org: string) => `waybill admin log reopen ${org} --reason 'what was lost, and why'`,
    keep: 'Checkpoints and proofs that you already have stay valid. Keep them.',
  },
  unanchored: {
    title: 'Nothing is signed at the moment',
    found: (problem: string) => `The reason: ${problem}.`,
    help: 'New records are stored and numbered. Ask the operator to make the evidence store reachable: the log is then signed again by itself.',
  },
  log: {
    title: 'The log',
    state: 'State',
    ok: 'Signed',
    frozen: 'Frozen',
    unanchored: 'Not signed',
    size: 'Size',
    checkpoint: 'Newest checkpoint',
    noCheckpoint: 'None yet. One is published within seconds of a change.',
    checkpointBefore: (leaves: string) => `${leaves}, published`,
    name: 'Name',
    copyName: 'the name of the log',
    readers: 'Readers',
    members: 'Members of this organization',
    everyone: 'Anyone, without the contents of the records',
    change: 'Change',
  },
  witnesses: {
    title: 'Witnesses',
    help: 'Witnesses are run by others, such as your auditor. Each cosigns a checkpoint only if the log has grown without a change since the last one it saw.',
    none: 'Nobody but the operator vouches that others see the same log: no witness is configured. The operator names witnesses with WAYBILL_LOG_POLICY.',
    ok: 'Cosigned',
    behind: 'Behind',
    unreachable: 'Not reachable',
    fork: 'Saw another log',
    cosigned: (records: string) => `cosigned ${records}`,
    never: 'has not cosigned anything yet',
    copy: (name: string) => `the key of ${name}`,
  },
  keys: {
    title: 'Keys',
    help: 'Checkpoints are verified with these public keys. Get them once, from somebody you trust more than this service, and keep them.',
    key: (number: number) => `Key ${number}`,
    copy: (number: number) => `key ${number}`,
    added: 'added',
    retired: 'retired',
    none: 'The first key is made with the first signature.',
  },
  downloads: {
    title: 'Download',
    checkpoint: 'Checkpoint',
    keys: 'Keys',
    leaves: 'Leaves',
    newestLeaves: (leaves: string) => `Newest ${leaves} leaves`,
    tiles:
      'Programs that mirror or monitor logs read the whole log as tiles (C2SP tlog-tiles) from this address:',
    copyTiles: 'the address of the tiles',
    unsigned: 'There is no checkpoint to download while the log cannot be signed.',
  },
} as const
