// Every list and record of the API, drawn from its document: what a path leads to decides what is shown.
import { Text } from '@mantine/core'
import { Navigate, useLocation, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useHere } from '../../kit/access.tsx'
import { formOf } from '../../kit/document/forms.ts'
import { useTree, useTrees } from '../../kit/document/load.ts'
import { audienceOf, audiencesOf, basesOf, ownActions, pageOf, tenantRecord, topOf } from '../../kit/document/scope.ts'
import { sectionsOf } from '../../kit/document/sections.ts'
import { addressOf, locate, type Node, recordOf, type Tree, titleOf } from '../../kit/document/tree.ts'
import { ListPage } from '../../kit/list/list-page.tsx'
import { ActionButtons } from '../../kit/record/actions.tsx'
import { QueryPage } from '../../kit/record/query-page.tsx'
import { RecordPage } from '../../kit/record/record-page.tsx'
import { Trail } from '../../kit/record/trail.tsx'
import { PageLink } from '../../kit/ui/links.tsx'
import { Fault, Loading, NoPage, PageTitle, useTitle } from '../../kit/ui/ui.tsx'
import { FrameProvider } from '../../kit/value.tsx'
import classes from './data-page.module.css'
import { Lookup } from './lookup.tsx'

function Index({ trees }: { trees: readonly Tree[] }) {
  const { scope, may } = useHere()
  useTitle('Data')
  const places = topOf(trees, scope).filter(({ node }) => !node.get || may(node.get.access))
  const values = places[0]?.values ?? []
  const about = (node: Node) =>
    places.find((one) => one.node === node)?.tree.tags.find((tag) => tag.name === node.tag)?.description ?? ''
  return (
    <>
      <PageTitle
        actions={ownActions(trees, scope).map(({ tree, place, actions }) => (
          <FrameProvider key={place.node.key} frame={{ tree, place }}>
            <ActionButtons
              tree={tree}
              place={place}
              main={undefined}
              actions={actions.filter((one) => may(one.access))}
              item={undefined}
            />
          </FrameProvider>
        ))}
      >
        Data
      </PageTitle>
      {sectionsOf(places.map(({ node }) => node)).map(([title, nodes]) => (
        <section key={title} className={classes.section}>
          <h2 className={classes.title}>{title}</h2>
          <ul className={classes.grid}>
            {nodes.map((node) => (
              <li key={node.key}>
                <PageLink to={pageOf(addressOf(node, values))} className={classes.entry ?? ''} underline="never">
                  <span className={classes.name}>{titleOf(node)}</span>
                  <span className={classes.about}>{about(node)}</span>
                </PageLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

const prefix = '/console'

/** The path of the API that the page shows. The address may already be that of another page, which is about to open. */
function usePath(): string {
  const { scope } = useHere()
  const { pathname } = useLocation()
  const bases = basesOf(scope)
  const last = useRef(bases.api)
  const at = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
  if (`${at}/`.startsWith(`${bases.page}/`))
    last.current = `${bases.api}${at.slice(bases.page.length)}`.replace(/\/+$/, '')
  return last.current
}

function Shown({ trees, path }: { trees: readonly Tree[]; path: string }) {
  const { scope } = useHere()
  const places = trees.flatMap((tree) => {
    const place = locate(tree, path)
    return place ? [{ tree, place }] : []
  })
  const { tree, place: found } = places.find(({ place }) => place.node.kind !== 'folder') ?? places[0] ?? {}
  const navigate = useNavigate()
  const [base] = useState(() => basesOf(scope))
  if (!found || !tree) return <NoPage />
  const { node, values } = found
  const trail = <Trail place={found} base={base.api.split('/').length} home={base.page} />
  const isAsked = node.get?.query.some((one) => one.required) && node.kind !== 'list'
  if (isAsked) return <QueryPage key={path} tree={tree} place={found} trail={trail} />
  if (node.kind === 'list') return <ListPage key={path} tree={tree} place={found} trail={trail} />
  if (node.kind === 'record' || node.kind === 'single')
    return <RecordPage key={path} tree={tree} place={found} trail={trail} />
  const action = node.kind === 'action' ? (node.post ?? node.put ?? node.delete) : undefined
  const form = action && formOf(tree, { method: action.method, path })
  if (form) return <Navigate to={form.to} search={form.search} replace />
  if (!recordOf(node)) return <NoPage />
  return (
    <FrameProvider frame={{ tree, place: found }}>
      {trail}
      <PageTitle>{titleOf(node)}</PageTitle>
      <Lookup open={(id) => void navigate({ to: pageOf(`${addressOf(node, values)}/${encodeURIComponent(id)}`) })} />
    </FrameProvider>
  )
}

export function DataPage() {
  const { scope } = useHere()
  const { trees, isWhole, error, refetch } = useTrees(audiencesOf(scope))
  const path = usePath()
  if (error && !isWhole) return <Fault error={error} retry={refetch} />
  if (!isWhole) return <Loading what="Loading the document of the API" />
  if (path === basesOf(scope).api) return <Index trees={trees} />
  return <Shown trees={trees} path={path} />
}

/** The record of the store or business itself. */
export function TenantRecordPage() {
  const { scope } = useHere()
  const { data: tree, error, refetch } = useTree(audienceOf(scope))
  if (error && !tree) return <Fault error={error} retry={() => void refetch()} />
  if (!tree || scope.kind !== 'tenant') return <Loading what="Loading the document of the API" />
  const node = tenantRecord(tree, scope.tenant.surface)
  if (!node) return <Text>The document of the API has no such record.</Text>
  return <RecordPage tree={tree} place={{ node, values: [scope.tenant.id] }} />
}
