// A template in words: what is expected of the trail, and of each artifact.
import { Card, SimpleGrid, Table, Text, Title } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'

type Slot = Schemas['TemplateSlot']

export function TemplateSlots({ body }: { body: Schemas['TrailTemplateBody'] }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <SlotCard title="The trail itself" slots={body.attestations} />
      {body.artifacts.map(({ name, attestations }) => (
        <SlotCard key={name} title={`Artifact ${name}`} slots={attestations} />
      ))}
    </SimpleGrid>
  )
}

function SlotCard({ title, slots }: { title: string; slots: Slot[] }) {
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        {title}
      </Title>
      {slots.length === 0 ? (
        <Text size="sm" c="dimmed">
          No attestations are expected.
        </Text>
      ) : (
        <Table aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Attestation</Table.Th>
              <Table.Th>Type</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {slots.map(({ name, type }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{type === '*' ? 'any' : type}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Card>
  )
}
