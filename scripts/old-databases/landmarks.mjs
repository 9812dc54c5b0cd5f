// The earlier states of the product whose databases are kept: each is named after its newest migration. Only commits whose
// migrations were never edited afterwards can be here.
export const LANDMARKS = [
  { name: '0022', commit: '09266dfa', title: 'the first version that others may use the schema of' },
  { name: '0036', commit: 'b04b27da', title: 'events by month, cells, before the log' },
  { name: '0050', commit: '253af52e', title: 'the log with checkpoints, witnesses and erasure' },
  { name: '0062', commit: 'eee6f238', title: 'badges, several files of an attestation, auditors' },
]
