// Opens a record by its id, where no list of such records exists.
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'

export function Lookup({ open }: { open(id: string): void }) {
  const [id, setId] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (id.trim()) open(id.trim())
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Id or key"
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
          dir="ltr"
          required
          w={320}
          maw="100%"
        />
        <Button type="submit">Open</Button>
      </Group>
    </form>
  )
}
