// Connects an account of a network again: the consent page opens in this tab, and leads back to the item.
import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useHere } from '../../kit/access.tsx'
import { call } from '../../kit/api.ts'
import type { Item } from '../../kit/attention.ts'
import { isAllowed } from '../../kit/document/operations.ts'
import { wordsOf } from '../../kit/document/schema.ts'
import type { Tenant } from '../../kit/document/scope.ts'
import type { Search } from '../../kit/ui/links.tsx'
import { Fault } from '../../kit/ui/ui.tsx'
import { returned, typeToConnect } from './subjects.ts'

type Props = { item: Item; tenant: Tenant | undefined }

export function Connect({ item: { id, mend }, tenant }: Props) {
  const { permissions } = useHere()
  const type = typeToConnect(mend)
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: { type: NonNullable<typeof type>; return_url: string }) =>
      call('POST /v1/stores/{storeId}/social-connections/oauth/connect', { path: { storeId: tenant?.id ?? '' }, body }),
    onSuccess: ({ authorization_url: url }) => location.assign(url),
  })
  if (!mend || !type || !isAllowed(mend.role, tenant?.role, permissions.account.platform_administrator)) return null
  const return_url = `${location.origin}${location.pathname}?item=${id}`
  return (
    <>
      <Button size="xs" loading={isPending} onClick={() => mutate({ type, return_url })}>
        Connect the {wordsOf(type)}
      </Button>
      {error && <Fault error={error} />}
    </>
  )
}

/** What the consent page led back with. */
export function Returned({ search, item }: { search: Search; item: Item | undefined }) {
  const said = returned(search, item)
  if (!said) return null
  const [isGood, title, text] = said
  return (
    <Alert color={isGood ? 'teal' : 'orange'} variant="light" title={title} role="status" mb="md">
      {text}
    </Alert>
  )
}
