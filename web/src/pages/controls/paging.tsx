// From page to page of what the server counts in pages.
import { Group, Pagination, Text } from '@mantine/core'

interface Props {
  of: { page: number; total_pages: number; total_count: number }
  noun: string
  onPage: (page: number) => void
}

const LABELS = { first: 'First page', previous: 'Page before', next: 'Next page', last: 'Last page' }

export function Paging({ of: { page, total_pages, total_count }, noun, onPage }: Props) {
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {total_count} {total_count === 1 ? noun : `${noun}s`}
      </Text>
      {total_pages > 1 && (
        <Pagination
          size="sm"
          total={total_pages}
          value={page}
          onChange={onPage}
          getControlProps={control => ({ 'aria-label': LABELS[control] })}
          getItemProps={item => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  )
}
