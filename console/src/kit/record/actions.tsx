// What can be done with a list or a record, as buttons; the form of one opens beside the page and is in its address.
import { ActionIcon, Alert, Button, Drawer, Group, Menu, Stack, Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { labelOf } from '../document/columns.ts'
import { openForm } from '../document/forms.ts'
import type { Operation } from '../document/operations.ts'
import { resolved, wordsOf } from '../document/schema.ts'
import { pageOf } from '../document/scope.ts'
import { addressOf, type Item, type Place, placeOf, type Tree, verbOf } from '../document/tree.ts'
import { OperationForm, UploadForm } from '../form/operation-form.tsx'
import { signOut } from '../session.ts'
import { Copy } from '../ui/copy.tsx'
import { Icon } from '../ui/icons.tsx'
import type { Search } from '../ui/links.tsx'
import { notify } from '../ui/notices.tsx'
import { AnswerValue, BlockValue, FrameProvider } from '../value.tsx'
import { isPlain, madeBy, shownOnce } from './results.ts'

export function useForms() {
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as Search
  return {
    opened: [search[openForm]].flat()[0],
    open: (operation: Operation) =>
      void navigate({ to: '.', search: { ...search, [openForm]: operation.id }, replace: false }),
    close: () => void navigate({ to: '.', search: { ...search, [openForm]: undefined }, replace: true }),
  }
}

type Result = { operation: Operation; answer: unknown; once: Item }

function ResultView({ tree, place, result, close }: { tree: Tree; place: Place; result: Result; close(): void }) {
  const { operation, answer, once } = result
  const names = Object.keys(once)
  const schema = operation.answer ? resolved(operation.answer, tree.schemas) : {}
  return (
    <FrameProvider frame={{ tree, place }}>
      <Stack>
        {names.length > 0 ? (
          <>
            <Alert color="orange" title="Copy this now">
              <Text size="sm">It is shown once: no other request returns it.</Text>
            </Alert>
            {names.map((name) => (
              <Group key={name} gap="xs" wrap="nowrap" align="center">
                <BlockValue
                  name={name}
                  schema={schema.properties?.[name] ?? {}}
                  value={once[name]}
                  item={once}
                  currency={undefined}
                />
                {typeof once[name] === 'string' && <Copy value={String(once[name])} />}
              </Group>
            ))}
          </>
        ) : (
          <AnswerValue schema={schema} value={answer} />
        )}
        <Group justify="flex-end">
          <Button onClick={close}>Close</Button>
        </Group>
      </Stack>
    </FrameProvider>
  )
}

type Props = {
  tree: Tree
  place: Place
  /** The operation that the page is about: to create, or to change. */
  main: Operation | undefined
  actions: readonly Operation[]
  item: Item | undefined
}

function labelOfAction(operation: Operation, place: Place): string {
  if (operation === place.node.put) return 'Edit'
  return operation === place.node.delete ? 'Delete' : verbOf(operation, place.node)
}

const either = new Intl.ListFormat('en', { type: 'disjunction' })

/** Why the record, as it is, allows no such operation. */
function hindrance({ whileStatus }: Operation, item: Item | undefined): string | undefined {
  if (!whileStatus || typeof item?.status !== 'string' || whileStatus.includes(item.status)) return
  return `Only while the status is ${either.format(whileStatus.map((one) => wordsOf(one).toLowerCase()))}.`
}

export function ActionButtons({ tree, place, main, actions, item }: Props) {
  const { opened, open, close } = useForms()
  const navigate = useNavigate()
  const [result, setResult] = useState<Result>()
  const all = [...(main ? [main] : []), ...actions]
  // A method names the operation that the page is about: other pages lead here without the document at hand.
  const shown = all.find((one) => one.id === opened) ?? (opened === main?.method ? main : undefined)
  const Form = shown?.files ? UploadForm : OperationForm
  const hindered = (one: Operation) => hindrance(one, item)
  const few = actions.filter((one) => one.method === 'POST' && !hindered(one)).slice(0, 2)
  const others = actions.filter((one) => !few.includes(one))

  function finish(operation: Operation, answer: unknown) {
    if (operation.spec === 'DELETE /v1/accounts') return void signOut()
    const isCreated = operation === place.node.post && place.node.kind === 'list'
    const once = isCreated ? shownOnce(tree, operation, place, answer) : {}
    if (
      (isCreated && Object.keys(once).length > 0) ||
      (!isCreated && operation.method !== 'DELETE' && !isPlain(tree, operation, place))
    ) {
      setResult({ operation, answer, once })
      close()
      return
    }
    const creates = isCreated && operation.summary.startsWith('Create ')
    notify(operation.method === 'DELETE' ? 'Deleted' : operation.files ? 'Uploaded' : creates ? 'Created' : 'Saved')
    const record = isCreated ? madeBy(place, answer) : undefined
    const made = record && placeOf(tree, place, record)
    if (made) void navigate({ to: pageOf(addressOf(made.node, made.values)) })
    else if (operation === place.node.delete && place.node.kind === 'record' && place.node.parent)
      void navigate({ to: pageOf(addressOf(place.node.parent, place.values.slice(0, -1))) })
    else close()
  }

  return (
    <>
      {few.map((operation) => (
        <Button
          key={operation.id}
          size="xs"
          variant="default"
          title={operation.summary}
          onClick={() => open(operation)}
        >
          {labelOfAction(operation, place)}
        </Button>
      ))}
      {main && (
        <Button
          size="xs"
          disabled={hindered(main) !== undefined}
          title={hindered(main)}
          leftSection={<Icon name={main.method === 'POST' ? 'plus' : 'edit'} size={14} />}
          onClick={() => open(main)}
        >
          {labelOfAction(main, place)}
        </Button>
      )}
      {others.length > 0 && (
        <Menu position="bottom-end" shadow="md" width={260}>
          <Menu.Target>
            <ActionIcon variant="default" size={30} aria-label="More actions">
              <Icon name="more" size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map((operation) => (
              <Menu.Item
                key={operation.id}
                color={operation.method === 'DELETE' ? 'red' : undefined}
                disabled={hindered(operation) !== undefined}
                title={hindered(operation) ?? operation.summary}
                onClick={() => open(operation)}
              >
                {labelOfAction(operation, place)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Drawer
        opened={shown !== undefined}
        onClose={close}
        position="right"
        size="lg"
        title={item && place.node.kind === 'record' && shown ? `${shown.summary}: ${labelOf(item)}` : shown?.summary}
        closeButtonProps={{ 'aria-label': 'Close' }}
        overlayProps={{ backgroundOpacity: 0.35 }}
      >
        {shown && (
          <FrameProvider frame={{ tree, place }}>
            <Form
              key={shown.id}
              tree={tree}
              place={place}
              operation={shown}
              item={item}
              done={(answer) => finish(shown, answer)}
              cancel={close}
            />
          </FrameProvider>
        )}
      </Drawer>
      <Drawer
        opened={result !== undefined}
        onClose={() => setResult(undefined)}
        position="right"
        size="lg"
        title={result?.operation.summary}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {result && <ResultView tree={tree} place={place} result={result} close={() => setResult(undefined)} />}
      </Drawer>
    </>
  )
}
