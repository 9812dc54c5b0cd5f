// A summary of a template: the evidence expected of the trail and of each artifact.
import { Card, SimpleGrid, Table, Text, Title } from '@mantine/core'
import type { Schemas } from '../../parts/schemas.ts'
import { flowTexts as texts } from './texts.ts'

type Slot = Schemas['TemplateSlot']

export function TemplateSlots({ body }: { body: Schemas['TrailTemplateBody'] }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <SlotCard title={texts.template.trail} slots={body.attestations} />
      {body.artifacts.map(({ name, attestations }) => (
        <SlotCard key={name} title={texts.template.artifact(name)} slots={attestations} />
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
          {texts.template.noAttestations}
        </Text>
      ) : (
        <Table aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.template.attestation}</Table.Th>
              <Table.Th>{texts.template.type}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {slots.map(({ name, type }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{type === '*' ? texts.template.anyType : type}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Card>
  )
}
