// A read that needs more than a path, such as free slots of a service: the questions, then the answer.
import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ask } from '../api.ts'
import type { Operation } from '../document/operations.ts'
import { resolved } from '../document/schema.ts'
import { addressOf, type Place, type Tree, titleOf } from '../document/tree.ts'
import { FilterField } from '../list/filters.tsx'
import type { Search } from '../ui/links.tsx'
import { Fault, Loading, PageTitle, Quiet, useTitle } from '../ui/ui.tsx'
import { AnswerValue, FrameProvider } from '../value.tsx'
import classes from './record.module.css'

export function QueryPage({ tree, place, trail }: { tree: Tree; place: Place; trail?: ReactNode }) {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const [draft, setDraft] = useState(search)
  const { node, values } = place
  const operation = node.get as Operation
  const given = Object.fromEntries(
    Object.entries(search).filter(([name]) => operation.query.some((one) => one.name === name)),
  )
  const isReady = operation.query.every((one) => !one.required || given[one.name] !== undefined)
  const { data, error } = useQuery({
    queryKey: ['record', addressOf(node, values), given],
    queryFn: ({ signal }) => ask(operation, { values, query: given, signal }),
    enabled: isReady,
  })
  useTitle(titleOf(node))
  const schema = operation.answer ? resolved(operation.answer, tree.schemas) : {}
  return (
    <FrameProvider frame={{ tree, place }}>
      {trail}
      <PageTitle>{titleOf(node)}</PageTitle>
      <Quiet mb="md">{operation.summary}.</Quiet>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void navigate({ to: '.', search: draft })
        }}
      >
        <Stack gap="sm" maw={420} mb="lg">
          {operation.query.map((parameter) => (
            <FilterField
              key={parameter.name}
              tree={tree}
              place={place}
              parameter={parameter}
              value={draft[parameter.name]}
              change={(value) => setDraft({ ...draft, [parameter.name]: value })}
              isNarrow={false}
            />
          ))}
          <div>
            <Button type="submit">Show</Button>
          </div>
        </Stack>
      </form>
      {error ? <Fault error={error} /> : null}
      {isReady && !data && !error && <Loading />}
      {data !== undefined && (
        <div className={classes.card}>
          <AnswerValue schema={schema} value={data} />
        </div>
      )}
    </FrameProvider>
  )
}
