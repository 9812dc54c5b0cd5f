// Pages of a list that the server cuts.
import { Group, Pagination, Text } from '@mantine/core'

interface PagerProps {
  page: number
  page_count: number
  total: number
  what: string
  onChange: (page: number) => void
}

export function Pager({ page, page_count, total, what, onChange }: PagerProps) {
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {total.toLocaleString()} {what}
      </Text>
      {page_count > 1 && (
        <nav aria-label={`Pages of ${what}`}>
          <Pagination
            value={page}
            total={page_count}
            onChange={onChange}
            size="sm"
            siblings={1}
            getItemProps={number => ({ 'aria-label': `Page ${number}` })}
            getControlProps={control => ({ 'aria-label': `The ${control} page` })}
          />
        </nav>
      )}
    </Group>
  )
}
