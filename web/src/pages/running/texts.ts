// Texts of the matrix.
import { formatCount } from '../../ui/format-count.ts'

export const runningTexts = {
  title: 'Running',
  intro:
    'What runs where. A row is an artifact, a column is an environment. Versions that are older than the newest one of the row are marked.',
  download: 'Download CSV',
  filters: {
    search: 'Artifact contains',
    environment: 'Environment contains',
    flow: 'Flow',
    repo: 'Repository',
    tag: 'Environment tag',
    tagPlaceholder: 'key or key:value',
    state: 'State',
    any: 'Any',
    versions: 'Versions',
    differ: 'Differ',
    same: 'The same everywhere',
  },
  artifact: 'Artifact',
  caption: 'Artifacts and the versions of them that run in each environment',
  versions: (count: number) => formatCount(count, 'version'),
  older: 'Older version',
  started: 'since',
  notRunning: 'Not running',
  none: 'Nothing runs yet',
  noneHint: 'Report what runs in an environment to see it here.',
  noMatch: 'Nothing matches these filters',
  noMatchHint: 'Clear a filter to see more.',
}
