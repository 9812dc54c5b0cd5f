// The organizations of the signed-in person.
import { Badge, Card, Group, SimpleGrid, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../../api.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { Empty } from '../../ui/states.tsx'
import { homeTexts as texts } from './texts.ts'

export function HomePage() {
  const { data: session } = useQuery(sessionQuery)
  const orgs = session?.orgs ?? []
  return (
    <Stack>
      <Title order={1}>{texts.title}</Title>
      {orgs.length === 0 && <Empty title={texts.none}>{texts.noneHint}</Empty>}
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
        {orgs.map(({ name, role }) => (
          <Card key={name} withBorder>
            <Group justify="space-between" wrap="nowrap">
              <Title order={2} size="h4" className="long-name">
                <PageLink to="/$org" params={{ org: name }}>
                  {name}
                </PageLink>
              </Title>
              <Badge variant="default">{name === session?.user ? texts.personal : role}</Badge>
            </Group>
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  )
}
